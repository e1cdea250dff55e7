/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/mtrie6.h"

#include "gm/unibit.h"
#include "lpm/array.h"

#include <string.h>

enum { BLOCK = 256, BLOCKS_MOST = 0x8000, FIRST_BITS = 24, TOP_BITS = 16, STRIDE = 8 };

/* Keys that go down together, and the levels that most of them need: down to bit 48. */
enum { BATCH = 32, COMMON_LEVELS = 3 };

struct build {
	struct gm_mtrie6 *trie;
	struct gm_unibit unibit;
	struct gm_unibit_place *places; /* of each block, for breadth-first */
	uint32_t place_capacity;
	uint32_t slot_capacity;
};

/* A slot for a place: its next hop, or a new block of the level that begins at block `begin`. */
static int slot_of(struct build *build, struct gm_unibit_place place, uint32_t begin,
		   uint16_t *slot)
{
	struct gm_mtrie6 *trie = build->trie;
	void *places = build->places;
	uint32_t number = trie->block_count - begin;

	*slot = (uint16_t)place.next_hop;
	if (!gm_unibit_branches(&build->unibit, place))
		return GM_LPM_OK;
	if (number == BLOCKS_MOST)
		return GM_LPM_TOO_LARGE;
	if (!gm_array_room(&places, &build->place_capacity, trie->block_count + 1,
			   sizeof(*build->places)))
		return GM_LPM_NO_MEMORY;
	build->places = places;
	build->places[trie->block_count++] = place;
	*slot = (uint16_t)(GM_MTRIE6_BLOCK | number);
	return GM_LPM_OK;
}

/* The 256 slots for the eight bits below a place. */
static int fill(struct build *build, struct gm_unibit_place place, uint32_t begin, uint16_t *slots)
{
	struct gm_unibit_place places[BLOCK];
	int error = GM_LPM_OK;

	places[0] = place;
	if (place.node)
		gm_unibit_spread(&build->unibit, STRIDE, places);
	for (uint32_t i = 0; i < BLOCK && !error; i++) {
		if (place.node)
			error = slot_of(build, places[i], begin, &slots[i]);
		else
			slots[i] = (uint16_t)place.next_hop;
	}
	return error;
}

/* Of the first 16 bits: what the table's prefixes span, but for that of length 0. */
static uint32_t tops_span(const struct gm_prefixes *prefixes, uint32_t *low)
{
	uint32_t high = 0;
	uint32_t any = 0;

	*low = 0;
	for (uint32_t i = 0; i < prefixes->count; i++) {
		const struct gm_route *route = &prefixes->routes[i];
		uint64_t last = route->key.hi | ~gm_key_mask(route->length).hi;

		if (!route->length)
			continue;
		if (!any)
			*low = (uint32_t)(route->key.hi >> (64 - TOP_BITS));
		any = 1;
		high = last >> (64 - TOP_BITS) > high ? (uint32_t)(last >> (64 - TOP_BITS)) : high;
	}
	return any ? high - *low + 1 : 0;
}

static int fill_first(struct build *build, const struct gm_prefixes *prefixes)
{
	struct gm_mtrie6 *trie = build->trie;
	uint32_t low;
	uint32_t tops = tops_span(prefixes, &low);
	struct gm_unibit_place *places = malloc(sizeof(*places) << TOP_BITS);
	int error = GM_LPM_OK;

	trie->low = low << STRIDE;
	trie->first_count = tops << STRIDE;
	trie->first = malloc((trie->first_count + (size_t)1) * sizeof(*trie->first));
	if (!places || !trie->first) {
		free(places);
		return GM_LPM_NO_MEMORY;
	}
	places[0] = gm_unibit_root(&build->unibit);
	trie->first[trie->first_count] = (uint16_t)places[0].next_hop;
	gm_unibit_spread(&build->unibit, TOP_BITS, places);
	for (uint32_t i = 0; i < tops && !error; i++)
		error = fill(build, places[low + i], 0, trie->first + (size_t)BLOCK * i);
	free(places);
	return error;
}

/* All blocks of a level; theirs make the next. */
static int fill_level(struct build *build, uint32_t level)
{
	struct gm_mtrie6 *trie = build->trie;
	uint32_t end = trie->block_count;
	void *slots = trie->slots;
	int error = GM_LPM_OK;

	if (!gm_array_room(&slots, &build->slot_capacity, BLOCK * end, sizeof(*trie->slots)))
		return GM_LPM_NO_MEMORY;
	trie->slots = slots;
	trie->levels[level + 1] = end;
	for (uint32_t i = trie->levels[level]; i < end && !error; i++)
		error = fill(build, build->places[i], end, trie->slots + (size_t)BLOCK * i);
	return error;
}

int gm_mtrie6_build(struct gm_mtrie6 *trie, const struct gm_prefixes *prefixes)
{
	struct build build = { trie, { 0 }, NULL, 0, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	memset(trie, 0, sizeof(*trie));
	if (!error)
		error = fill_first(&build, prefixes);
	for (uint32_t level = 0; level < GM_MTRIE6_LEVELS && !error; level++)
		error = fill_level(&build, level);
	trie->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			   (sizeof(*build.places) << TOP_BITS) +
			   build.place_capacity * sizeof(*build.places) +
			   build.slot_capacity * sizeof(*trie->slots) +
			   trie->first_count * sizeof(*trie->first);
	gm_unibit_free(&build.unibit);
	free(build.places);
	if (error)
		gm_mtrie6_free(trie);
	return error;
}

static inline uint32_t first_slot(const struct gm_mtrie6 *trie, const struct gm_key *key)
{
	uint32_t at = (uint32_t)(key->hi >> (64 - FIRST_BITS)) - trie->low;

	return trie->first[at < trie->first_count ? at : trie->first_count];
}

/* Where in its level the slot of a key's eight bits is, below a slot that is a block. */
static inline uint32_t below(uint32_t slot, uint32_t chunk)
{
	return (slot & (GM_MTRIE6_BLOCK - 1)) << STRIDE | chunk;
}

static inline const uint16_t *level_slots(const struct gm_mtrie6 *trie, uint32_t level)
{
	return trie->slots + (size_t)BLOCK * trie->levels[level];
}

/* Goes on from a slot of the level before, down to a next hop. */
static inline uint32_t walk(const struct gm_mtrie6 *trie, const struct gm_key *key, uint32_t slot,
			    uint32_t level)
{
	for (; slot & GM_MTRIE6_BLOCK; level++) {
		uint32_t chunk = gm_key_chunk(key, FIRST_BITS + STRIDE * level, STRIDE);

		slot = level_slots(trie, level)[below(slot, chunk)];
	}
	return slot;
}

uint32_t gm_mtrie6_lookup(const struct gm_mtrie6 *trie, const struct gm_key *key)
{
	return walk(trie, key, first_slot(trie, key), 0);
}

/*
 * One level down for a batch; returns whether any is at a block still. A key that is at its next hop
 * loads the level's first slot for nothing: a branch, or a list of the keys that go on, would have
 * to wait for the loads before it.
 */
static inline uint32_t step(const struct gm_mtrie6 *trie, const struct gm_key *keys,
			    uint32_t *results, uint32_t level)
{
	const uint16_t *slots = level_slots(trie, level);
	uint32_t shift = 64 - FIRST_BITS - STRIDE * (level + 1);
	uint32_t any = 0;

	for (uint32_t i = 0; i < BATCH; i++) {
		uint32_t slot = results[i];
		uint32_t goes_on = slot & GM_MTRIE6_BLOCK;
		uint32_t at = below(slot, (uint32_t)(keys[i].hi >> shift) & (BLOCK - 1));
		uint32_t next = slots[goes_on ? at : 0];

		slot = goes_on ? next : slot;
		results[i] = slot;
		any |= slot;
	}
	return any & GM_MTRIE6_BLOCK;
}

static inline void lookup_batch(const struct gm_mtrie6 *trie, const struct gm_key *keys,
				uint32_t *results)
{
	uint32_t at[BATCH];
	uint32_t any = 0;
	uint32_t level = 0;

	for (uint32_t i = 0; i < BATCH; i++) {
		at[i] = first_slot(trie, &keys[i]);
		any |= at[i];
	}
	any &= GM_MTRIE6_BLOCK;
	for (; level < COMMON_LEVELS && any; level++)
		any = step(trie, keys, at, level);
	for (uint32_t i = 0; i < BATCH; i++)
		results[i] = any ? walk(trie, &keys[i], at[i], level) : at[i];
}

void gm_mtrie6_lookup_n(const struct gm_mtrie6 *trie, const struct gm_key *keys, uint32_t *results,
			size_t count)
{
	for (; count >= BATCH; count -= BATCH) {
		lookup_batch(trie, keys, results);
		keys += BATCH;
		results += BATCH;
	}
	for (size_t i = 0; i < count; i++)
		results[i] = gm_mtrie6_lookup(trie, &keys[i]);
}

size_t gm_mtrie6_bytes(const struct gm_mtrie6 *trie)
{
	return (trie->first_count + (size_t)1 + (size_t)BLOCK * trie->block_count) *
	       sizeof(uint16_t);
}

void gm_mtrie6_free(struct gm_mtrie6 *trie)
{
	free(trie->first);
	free(trie->slots);
	memset(trie, 0, sizeof(*trie));
}
