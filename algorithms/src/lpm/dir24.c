/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/dir24.h"

#include "gm/unibit.h"
#include "lpm/array.h"

#include <string.h>

/* Slots that a vector reads beyond the last. */
enum { BEYOND = 1 };
enum { FIRST = 1 << 24, TOP_BITS = 16, GROUP = 256, GROUPS_MOST = 0x8000 };

struct build {
	struct gm_dir24 *table;
	struct gm_unibit unibit;
	uint32_t group_capacity;
};

/* A slot for a place at bit 24: its next hop, or a new group for the eight bits below. */
static int slot_of(struct build *build, struct gm_unibit_place place, uint16_t *slot)
{
	struct gm_dir24 *table = build->table;
	struct gm_unibit_place places[GROUP];
	void *groups = table->groups;
	uint16_t *group;

	*slot = (uint16_t)place.next_hop;
	if (!gm_unibit_branches(&build->unibit, place))
		return GM_LPM_OK;
	if (table->group_count == GROUPS_MOST)
		return GM_LPM_TOO_LARGE;
	if (!gm_array_room(&groups, &build->group_capacity, table->group_count + 1 + BEYOND,
			   GROUP * sizeof(*table->groups)))
		return GM_LPM_NO_MEMORY;
	table->groups = groups;
	group = table->groups + (size_t)GROUP * table->group_count;
	*slot = (uint16_t)(GM_DIR24_GROUP | table->group_count++);
	places[0] = place;
	gm_unibit_spread(&build->unibit, 8, places);
	for (uint32_t i = 0; i < GROUP; i++)
		group[i] = (uint16_t)places[i].next_hop;
	return GM_LPM_OK;
}

/* The 256 slots below a place at bit 16. */
static int fill(struct build *build, struct gm_unibit_place place, uint16_t *slots)
{
	struct gm_unibit_place places[GROUP];
	int error = GM_LPM_OK;

	places[0] = place;
	if (place.node)
		gm_unibit_spread(&build->unibit, 8, places);
	for (uint32_t i = 0; i < GROUP && !error; i++) {
		if (place.node)
			error = slot_of(build, places[i], &slots[i]);
		else
			slots[i] = (uint16_t)place.next_hop;
	}
	return error;
}

static int fill_all(struct build *build)
{
	struct gm_unibit_place *places = malloc(sizeof(*places) << TOP_BITS);
	int error = GM_LPM_OK;

	build->table->first = malloc((FIRST + BEYOND) * sizeof(*build->table->first));
	if (!places || !build->table->first) {
		free(places);
		return GM_LPM_NO_MEMORY;
	}
	places[0] = gm_unibit_root(&build->unibit);
	gm_unibit_spread(&build->unibit, TOP_BITS, places);
	for (size_t i = 0; i < (size_t)1 << TOP_BITS && !error; i++)
		error = fill(build, places[i], build->table->first + GROUP * i);
	free(places);
	return error;
}

int gm_dir24_build(struct gm_dir24 *table, const struct gm_prefixes *prefixes)
{
	struct build build = { table, { 0 }, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	memset(table, 0, sizeof(*table));
	if (!error)
		error = fill_all(&build);
	table->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			    (sizeof(struct gm_unibit_place) << TOP_BITS) +
			    (size_t)build.group_capacity * GROUP * sizeof(*table->groups) +
			    FIRST * sizeof(*table->first);
	gm_unibit_free(&build.unibit);
	if (error)
		gm_dir24_free(table);
	return error;
}

void gm_dir24_lookup_n(const struct gm_dir24 *table, const uint32_t *keys, uint32_t *results,
		       size_t count)
{
	const uint16_t *first = table->first;
	const uint16_t *groups = table->groups;

	for (size_t i = 0; i < count; i++) {
		uint32_t slot = first[keys[i] >> 8];

		if (slot & GM_DIR24_GROUP)
			slot = groups[(slot & 0x7fff) << 8 | (keys[i] & 255)];
		results[i] = slot;
	}
}

size_t gm_dir24_bytes(const struct gm_dir24 *table)
{
	return (FIRST + (size_t)GROUP * table->group_count) * sizeof(uint16_t);
}

void gm_dir24_free(struct gm_dir24 *table)
{
	free(table->first);
	free(table->groups);
	memset(table, 0, sizeof(*table));
}
