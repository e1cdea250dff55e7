/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/mtrie.h"

#include "gm/unibit.h"
#include "lpm/array.h"

#include <string.h>

enum { BLOCK = 256, BLOCKS_MOST = 0x8000, BATCH = 8 };

struct build {
	struct gm_mtrie *trie;
	struct gm_unibit unibit;
	struct gm_unibit_place *places; /* of each block, for breadth-first */
	uint32_t place_capacity;
	uint32_t slot_capacity;
};

static int append_block(struct build *build, struct gm_unibit_place place)
{
	struct gm_mtrie *trie = build->trie;
	uint32_t slots = GM_MTRIE_FIRST + BLOCK * (trie->block_count + 1);
	void *places = build->places;
	void *array = trie->slots;
	int fits;

	if (trie->block_count == BLOCKS_MOST)
		return GM_LPM_TOO_LARGE;
	fits = gm_array_room(&places, &build->place_capacity, trie->block_count + 1,
			     sizeof(*build->places));
	build->places = places;
	fits = fits && gm_array_room(&array, &build->slot_capacity, slots, sizeof(*trie->slots));
	trie->slots = array;
	if (!fits)
		return GM_LPM_NO_MEMORY;
	build->places[trie->block_count++] = place;
	return GM_LPM_OK;
}

/* Writes the slots of spread places from `begin` on, and appends a block for those that branch. */
static int fill(struct build *build, const struct gm_unibit_place *places, uint32_t begin,
		uint32_t count)
{
	int error = GM_LPM_OK;

	for (uint32_t i = 0; i < count && !error; i++) {
		uint32_t slot = places[i].next_hop;

		if (gm_unibit_branches(&build->unibit, places[i])) {
			slot = GM_MTRIE_BLOCK | build->trie->block_count;
			error = append_block(build, places[i]);
		}
		build->trie->slots[begin + i] = (uint16_t)slot;
	}
	return error;
}

static int fill_first(struct build *build)
{
	struct gm_unibit_place *places = malloc(GM_MTRIE_FIRST * sizeof(*places));
	void *slots = NULL;
	int error = GM_LPM_NO_MEMORY;

	if (places && gm_array_room(&slots, &build->slot_capacity, GM_MTRIE_FIRST,
				    sizeof(*build->trie->slots))) {
		build->trie->slots = slots;
		places[0] = gm_unibit_root(&build->unibit);
		gm_unibit_spread(&build->unibit, 16, places);
		error = fill(build, places, 0, GM_MTRIE_FIRST);
	}
	free(places);
	return error;
}

static int fill_block(struct build *build, uint32_t block)
{
	struct gm_unibit_place places[BLOCK];

	places[0] = build->places[block];
	gm_unibit_spread(&build->unibit, 8, places);
	return fill(build, places, GM_MTRIE_FIRST + BLOCK * block, BLOCK);
}

int gm_mtrie_build(struct gm_mtrie *trie, const struct gm_prefixes *prefixes)
{
	struct build build = { trie, { 0 }, NULL, 0, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	memset(trie, 0, sizeof(*trie));
	if (!error)
		error = fill_first(&build);
	for (uint32_t i = 0; i < trie->block_count && !error; i++)
		error = fill_block(&build, i);
	trie->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			   build.place_capacity * sizeof(*build.places) +
			   build.slot_capacity * sizeof(*trie->slots);
	gm_unibit_free(&build.unibit);
	free(build.places);
	if (error)
		gm_mtrie_free(trie);
	return error;
}

static inline uint32_t lookup(const uint16_t *slots, uint32_t key)
{
	const uint16_t *blocks = slots + GM_MTRIE_FIRST;
	uint32_t slot = slots[key >> 16];

	if (slot & GM_MTRIE_BLOCK)
		slot = blocks[(slot & 0x7fff) << 8 | (key >> 8 & 255)];
	if (slot & GM_MTRIE_BLOCK)
		slot = blocks[(slot & 0x7fff) << 8 | (key & 255)];
	return slot;
}

uint32_t gm_mtrie_lookup(const struct gm_mtrie *trie, uint32_t key)
{
	return lookup(trie->slots, key);
}

/* The slot in the block that a slot names; a processor adds the constant as it loads. */
static inline uint32_t below(const uint16_t *slots, uint32_t slot, uint32_t chunk)
{
	size_t at = slot << 8 | chunk;

	return slots[at + GM_MTRIE_FIRST - ((size_t)GM_MTRIE_BLOCK << 8)];
}

/*
 * Few prefixes are longer than 24 bits: one branch asks it of eight keys. The branch before is left,
 * because in a table that fits the caches most keys take the same way.
 */
static inline void lookup_batch(const uint16_t *slots, const uint32_t *keys, uint32_t *results)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < BATCH; i++) {
		uint32_t slot = slots[keys[i] >> 16];

		if (slot & GM_MTRIE_BLOCK)
			slot = below(slots, slot, keys[i] >> 8 & 255);
		results[i] = slot;
		any |= slot;
	}
	if (!(any & GM_MTRIE_BLOCK))
		return;
	for (uint32_t i = 0; i < BATCH; i++) {
		if (results[i] & GM_MTRIE_BLOCK)
			results[i] = below(slots, results[i], keys[i] & 255);
	}
}

void gm_mtrie_lookup_n(const struct gm_mtrie *trie, const uint32_t *keys, uint32_t *results,
		       size_t count)
{
	for (; count >= BATCH; count -= BATCH) {
		lookup_batch(trie->slots, keys, results);
		keys += BATCH;
		results += BATCH;
	}
	for (size_t i = 0; i < count; i++)
		results[i] = lookup(trie->slots, keys[i]);
}

size_t gm_mtrie_bytes(const struct gm_mtrie *trie)
{
	return (GM_MTRIE_FIRST + (size_t)BLOCK * trie->block_count) * sizeof(*trie->slots);
}

void gm_mtrie_free(struct gm_mtrie *trie)
{
	free(trie->slots);
	memset(trie, 0, sizeof(*trie));
}
