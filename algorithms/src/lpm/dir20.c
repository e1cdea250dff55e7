/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/dir20.h"

#include "lpm/array.h"

#include <string.h>

/* Slots that a vector reads beyond the last. */
enum { BEYOND = 1 };
enum { FIRST = 1 << 20, BLOCK = 16 };

/* Whether 16 slots are the same next hop. */
static int is_even(const uint16_t *slots)
{
	for (uint32_t i = 1; i < BLOCK; i++) {
		if (slots[i] != slots[0])
			return 0;
	}
	return !(slots[0] & GM_DIR24_GROUP);
}

static int fold(struct gm_dir20 *table, const struct gm_dir24 *wide, uint32_t *capacity)
{
	table->first = malloc(FIRST * sizeof(*table->first));
	if (!table->first)
		return GM_LPM_NO_MEMORY;
	for (size_t i = 0; i < FIRST; i++) {
		const uint16_t *slots = wide->first + BLOCK * i;
		void *blocks = table->blocks;

		table->first[i] = slots[0];
		if (is_even(slots))
			continue;
		if (!gm_array_room(&blocks, capacity, table->block_count + 1 + BEYOND,
				   BLOCK * sizeof(*slots)))
			return GM_LPM_NO_MEMORY;
		table->blocks = blocks;
		memcpy(table->blocks + (size_t)BLOCK * table->block_count, slots,
		       BLOCK * sizeof(*slots));
		table->first[i] = GM_DIR20_BLOCK | table->block_count++;
	}
	return GM_LPM_OK;
}

int gm_dir20_build(struct gm_dir20 *table, const struct gm_prefixes *prefixes)
{
	struct gm_dir24 wide;
	uint32_t capacity = 0;
	int error = gm_dir24_build(&wide, prefixes);

	memset(table, 0, sizeof(*table));
	if (!error)
		error = fold(table, &wide, &capacity);
	table->groups = wide.groups;
	table->group_count = wide.group_count;
	table->peak_bytes = wide.peak_bytes + FIRST * sizeof(*table->first) +
			    (size_t)capacity * BLOCK * sizeof(*table->blocks);
	wide.groups = NULL;
	gm_dir24_free(&wide);
	if (error)
		gm_dir20_free(table);
	return error;
}

void gm_dir20_lookup_n(const struct gm_dir20 *table, const uint32_t *keys, uint32_t *results,
		       size_t count)
{
	const uint32_t *first = table->first;
	const uint16_t *blocks = table->blocks;
	const uint16_t *groups = table->groups;

	for (size_t i = 0; i < count; i++) {
		uint32_t slot = first[keys[i] >> 12];

		if (slot & GM_DIR20_BLOCK)
			slot = blocks[(slot & ~GM_DIR20_BLOCK) << 4 | (keys[i] >> 8 & 15)];
		if (slot & GM_DIR24_GROUP)
			slot = groups[(slot & 0x7fff) << 8 | (keys[i] & 255)];
		results[i] = slot;
	}
}

size_t gm_dir20_bytes(const struct gm_dir20 *table)
{
	return FIRST * sizeof(*table->first) +
	       (BLOCK * (size_t)table->block_count + 256 * (size_t)table->group_count) *
		       sizeof(uint16_t);
}

void gm_dir20_free(struct gm_dir20 *table)
{
	free(table->first);
	free(table->blocks);
	free(table->groups);
	memset(table, 0, sizeof(*table));
}
