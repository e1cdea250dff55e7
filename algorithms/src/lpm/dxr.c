/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/dxr.h"

#include "gm/unibit.h"
#include "lpm/array.h"

#include <string.h>

enum { DEPTH_MOST = 33 };

struct build {
	struct gm_dxr *table;
	struct gm_unibit unibit;
	uint32_t range_capacity;
};

/* A subtree that is still to be walked. */
struct pending {
	struct gm_unibit_place place;
	uint32_t start; /* its first address within the chunk */
	uint32_t bits; /* of an address below it */
};

/* Appends a range unless the one before it in its run goes to the same next hop. */
static int append(struct build *build, uint32_t run, uint32_t start, uint32_t next_hop)
{
	struct gm_dxr *table = build->table;
	void *ranges = table->ranges;

	if (table->range_count > run && table->ranges[table->range_count - 1].next_hop == next_hop)
		return GM_LPM_OK;
	if (!gm_array_room(&ranges, &build->range_capacity, table->range_count + 1,
			   sizeof(*table->ranges)))
		return GM_LPM_NO_MEMORY;
	table->ranges = ranges;
	table->ranges[table->range_count].start = (uint16_t)start;
	table->ranges[table->range_count++].next_hop = (uint16_t)next_hop;
	return GM_LPM_OK;
}

/* Walks a chunk's subtree in the order of addresses, and appends its run of ranges. */
static int append_run(struct build *build, struct gm_unibit_place place)
{
	uint32_t run = build->table->range_count;
	struct pending stack[DEPTH_MOST] = { { place, 0, 32 - build->table->bits } };
	uint32_t height = 1;
	int error = GM_LPM_OK;

	while (height && !error) {
		struct pending top = stack[--height];
		struct gm_unibit_place halves[2] = { top.place };

		if (!gm_unibit_branches(&build->unibit, top.place)) {
			error = append(build, run, top.start, top.place.next_hop);
			continue;
		}
		gm_unibit_spread(&build->unibit, 1, halves);
		for (uint32_t half = 2; half-- > 0;) {
			stack[height].place = halves[half];
			stack[height].start = top.start + (half << (top.bits - 1));
			stack[height++].bits = top.bits - 1;
		}
	}
	if (!error)
		build->table->ranges[run].start = (uint16_t)(build->table->range_count - run - 1);
	return error;
}

/* The slot of a chunk that branches: its run, unless all of it goes to the same next hop. */
static int fill_slot(struct build *build, struct gm_unibit_place place, uint32_t *slot)
{
	struct gm_dxr *table = build->table;
	uint32_t run = table->range_count;
	int error = append_run(build, place);

	*slot = run;
	if (!error && table->range_count == run + 1) {
		*slot = GM_DXR_LEAF | table->ranges[run].next_hop;
		table->range_count--;
	}
	return error;
}

static int fill(struct build *build)
{
	struct gm_dxr *table = build->table;
	uint32_t slots = UINT32_C(1) << table->bits;
	struct gm_unibit_place *places = malloc(slots * sizeof(*places));
	int error = GM_LPM_OK;

	table->direct = malloc(slots * sizeof(*table->direct));
	if (!places || !table->direct) {
		free(places);
		return GM_LPM_NO_MEMORY;
	}
	places[0] = gm_unibit_root(&build->unibit);
	gm_unibit_spread(&build->unibit, table->bits, places);
	for (uint32_t i = 0; i < slots && !error; i++) {
		table->direct[i] = GM_DXR_LEAF | places[i].next_hop;
		if (gm_unibit_branches(&build->unibit, places[i]))
			error = fill_slot(build, places[i], &table->direct[i]);
	}
	free(places);
	return error;
}

int gm_dxr_build(struct gm_dxr *table, const struct gm_prefixes *prefixes, uint32_t bits)
{
	struct build build = { table, { 0 }, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	memset(table, 0, sizeof(*table));
	table->bits = bits;
	if (!error)
		error = fill(&build);
	table->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			    ((sizeof(*table->direct) + sizeof(struct gm_unibit_place)) << bits) +
			    build.range_capacity * sizeof(*table->ranges);
	gm_unibit_free(&build.unibit);
	if (error)
		gm_dxr_free(table);
	return error;
}

static inline uint32_t search(const struct gm_dxr_range *run, uint32_t suffix)
{
	uint32_t count = run->start + UINT32_C(1);
	uint32_t at = 0;

	while (count > 1) {
		uint32_t half = count / 2;

		at = run[at + half].start <= suffix ? at + half : at;
		count -= half;
	}
	return run[at].next_hop;
}

static inline uint32_t lookup(const struct gm_dxr *table, uint32_t key)
{
	uint32_t slot = table->direct[key >> (32 - table->bits)];

	if (slot & GM_DXR_LEAF)
		return slot & ~GM_DXR_LEAF;
	return search(&table->ranges[slot], key & (UINT32_MAX >> table->bits));
}

uint32_t gm_dxr_lookup(const struct gm_dxr *table, uint32_t key)
{
	return lookup(table, key);
}

void gm_dxr_lookup_n(const struct gm_dxr *table, const uint32_t *keys, uint32_t *results,
		     size_t count)
{
	for (size_t i = 0; i < count; i++)
		results[i] = lookup(table, keys[i]);
}

size_t gm_dxr_bytes(const struct gm_dxr *table)
{
	return (sizeof(*table->direct) << table->bits) +
	       table->range_count * sizeof(*table->ranges);
}

void gm_dxr_free(struct gm_dxr *table)
{
	free(table->direct);
	free(table->ranges);
	memset(table, 0, sizeof(*table));
}
