/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/mtrie.h"

#include "gm/unibit.h"
#include "lpm/array.h"

#include <string.h>

enum { BLOCK = 256, BLOCKS_MOST = 0x8000 };

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

/* Branches are cheap here: in a table that fits the caches, most keys take the same ones. */
void gm_mtrie_lookup_n(const struct gm_mtrie *trie, const uint32_t *keys, uint32_t *results,
		       size_t count)
{
	const uint16_t *slots = trie->slots;

	for (size_t i = 0; i < count; i++)
		results[i] = lookup(slots, keys[i]);
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
