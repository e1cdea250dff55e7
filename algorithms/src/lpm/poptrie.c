/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/poptrie.h"

#include "gm/unibit.h"
#include "lpm/array.h"
#include "lpm/poptrie_lookup.h"

#include <string.h>

enum { SLOTS = 64 };

/* Nodes are made breadth-first; `places` says where in the unibit trie each one is. */
struct build {
	struct gm_poptrie *trie;
	struct gm_unibit unibit;
	struct gm_unibit_place *places;
	uint32_t place_capacity;
	uint32_t node_capacity;
	uint32_t leaf_capacity;
};

static int append_node(struct build *build, struct gm_unibit_place place)
{
	struct gm_poptrie *trie = build->trie;
	void *nodes = trie->nodes;
	void *places = build->places;
	int fits = gm_array_room(&nodes, &build->node_capacity, trie->node_count + 1,
				 sizeof(*trie->nodes));

	trie->nodes = nodes;
	fits = fits && gm_array_room(&places, &build->place_capacity, trie->node_count + 1,
				     sizeof(*build->places));
	build->places = places;
	if (!fits || trie->node_count + 1 >= GM_POPTRIE_LEAF)
		return GM_LPM_NO_MEMORY;
	build->places[trie->node_count++] = place;
	return GM_LPM_OK;
}

static int append_leaf(struct build *build, uint32_t next_hop)
{
	struct gm_poptrie *trie = build->trie;
	void *leaves = trie->leaves;
	int fits = gm_array_room(&leaves, &build->leaf_capacity, trie->leaf_count + 1,
				 sizeof(*trie->leaves));

	trie->leaves = leaves;
	if (!fits)
		return GM_LPM_NO_MEMORY;
	trie->leaves[trie->leaf_count++] = (uint16_t)next_hop;
	return GM_LPM_OK;
}

/* Fills node `number` from the six levels below its place, and appends its nodes and leaves. */
static int fill_node(struct build *build, uint32_t number)
{
	struct gm_poptrie_node node = { 0, 0, build->trie->node_count, build->trie->leaf_count };
	struct gm_unibit_place slots[SLOTS];
	uint32_t previous = UINT32_MAX;
	int error = GM_LPM_OK;

	slots[0] = build->places[number];
	gm_unibit_spread(&build->unibit, POPTRIE_STRIDE, slots);
	for (uint32_t v = 0; v < SLOTS && !error; v++) {
		if (gm_unibit_branches(&build->unibit, slots[v])) {
			node.vector |= UINT64_C(1) << v;
			error = append_node(build, slots[v]);
		} else if (slots[v].next_hop != previous) {
			node.leafvec |= UINT64_C(1) << v;
			previous = slots[v].next_hop;
			error = append_leaf(build, previous);
		}
	}
	build->trie->nodes[number] = node;
	return error;
}

static int fill_direct(struct build *build)
{
	uint32_t slots = UINT32_C(1) << build->trie->bits;
	struct gm_unibit_place *places = malloc(slots * sizeof(*places));
	int error = GM_LPM_OK;

	build->trie->direct = malloc(slots * sizeof(*build->trie->direct));
	if (!places || !build->trie->direct) {
		free(places);
		return GM_LPM_NO_MEMORY;
	}
	places[0] = gm_unibit_root(&build->unibit);
	gm_unibit_spread(&build->unibit, build->trie->bits, places);
	for (uint32_t i = 0; i < slots && !error; i++) {
		if (gm_unibit_branches(&build->unibit, places[i])) {
			build->trie->direct[i] = build->trie->node_count;
			error = append_node(build, places[i]);
		} else {
			build->trie->direct[i] = GM_POPTRIE_LEAF | places[i].next_hop;
		}
	}
	free(places);
	return error;
}

static void trim(struct gm_poptrie *trie)
{
	void *nodes = trie->nodes;
	void *leaves = trie->leaves;

	gm_array_trim(&nodes, trie->node_count, sizeof(*trie->nodes));
	gm_array_trim(&leaves, trie->leaf_count, sizeof(*trie->leaves));
	trie->nodes = nodes;
	trie->leaves = leaves;
}

int gm_poptrie_build(struct gm_poptrie *trie, const struct gm_prefixes *prefixes, uint32_t bits)
{
	struct build build = { trie, { 0 }, NULL, 0, 0, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	memset(trie, 0, sizeof(*trie));
	trie->bits = bits;
	if (!error)
		error = fill_direct(&build);
	for (uint32_t i = 0; i < trie->node_count && !error; i++)
		error = fill_node(&build, i);
	trie->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			   build.place_capacity * sizeof(*build.places) +
			   build.node_capacity * sizeof(*trie->nodes) +
			   build.leaf_capacity * sizeof(*trie->leaves) +
			   (sizeof(*trie->direct) << bits);
	gm_unibit_free(&build.unibit);
	free(build.places);
	if (error)
		gm_poptrie_free(trie);
	else
		trim(trie);
	return error;
}

uint32_t gm_poptrie_lookup4(const struct gm_poptrie *trie, uint32_t key)
{
	uint32_t at = trie->direct[key >> (32 - trie->bits)];
	uint32_t inner = 1;

	if (at & GM_POPTRIE_LEAF)
		return at & ~GM_POPTRIE_LEAF;
	for (uint32_t offset = trie->bits; inner; offset += POPTRIE_STRIDE)
		at = poptrie_step(&trie->nodes[at], poptrie_chunk4(&key, 0, offset), &inner);
	return trie->leaves[at];
}

uint32_t gm_poptrie_lookup6(const struct gm_poptrie *trie, const struct gm_key *key)
{
	uint32_t at = trie->direct[key->hi >> (64 - trie->bits)];
	uint32_t inner = 1;

	if (at & GM_POPTRIE_LEAF)
		return at & ~GM_POPTRIE_LEAF;
	for (uint32_t offset = trie->bits; inner; offset += POPTRIE_STRIDE)
		at = poptrie_step(&trie->nodes[at], poptrie_chunk6(key, 0, offset), &inner);
	return trie->leaves[at];
}

void gm_poptrie_lookup4_n(const struct gm_poptrie *trie, const uint32_t *keys, uint32_t *results,
			  size_t count)
{
	poptrie_all4(trie, keys, results, count);
}

void gm_poptrie_lookup6_n(const struct gm_poptrie *trie, const struct gm_key *keys,
			  uint32_t *results, size_t count)
{
	poptrie_all6(trie, keys, results, count);
}

size_t gm_poptrie_bytes(const struct gm_poptrie *trie)
{
	return (sizeof(*trie->direct) << trie->bits) + trie->node_count * sizeof(*trie->nodes) +
	       trie->leaf_count * sizeof(*trie->leaves);
}

void gm_poptrie_free(struct gm_poptrie *trie)
{
	free(trie->direct);
	free(trie->nodes);
	free(trie->leaves);
	memset(trie, 0, sizeof(*trie));
}
