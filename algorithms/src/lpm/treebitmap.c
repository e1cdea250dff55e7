/* SPDX-License-Identifier: Apache-2.0 */
/* Building a TreeBitmap breadth-first: every block is written once, shallow levels first. */
#include "gm/treebitmap.h"

#include "gm/unibit.h"
#include "lpm/array.h"
#include "lpm/treebitmap_node.h"
#include "lpm/treebitmap_pool.h"

#include <string.h>

enum { HEAP = 2 << GM_TREEBITMAP_STRIDE_MOST };

struct build {
	struct gm_treebitmap *trie;
	struct gm_unibit unibit;
	uint32_t *origins; /* of each node, its unibit node */
	uint32_t origin_capacity;
};

static int append_node(struct build *build, uint32_t origin)
{
	void *origins = build->origins;
	uint32_t number;

	if (tbm_pool_take(&build->trie->nodes, 1, &number))
		return GM_LPM_NO_MEMORY;
	if (!gm_array_room(&origins, &build->origin_capacity, number + 1, sizeof(*build->origins)))
		return GM_LPM_NO_MEMORY;
	build->origins = origins;
	build->origins[number] = origin;
	return GM_LPM_OK;
}

static int append_result(struct build *build, uint32_t next_hop)
{
	uint32_t place;
	int error = tbm_pool_take(&build->trie->results, 1, &place);

	if (!error)
		((uint16_t *)build->trie->results.elements)[place] = (uint16_t)next_hop;
	return error;
}

/*
 * heap[2^r + v]: the unibit node r bits below the origin, by the value v of these bits; so the
 * position of its prefix in the internal bitmap is the heap's place less 1. 0: none.
 */
static void spread(const struct build *build, uint32_t origin, uint32_t *heap)
{
	const struct gm_unibit_node *nodes = build->unibit.nodes;

	heap[1] = origin;
	for (uint32_t i = 1; i < UINT32_C(1) << build->trie->stride; i++) {
		int there = i == 1 || heap[i];

		heap[2 * (size_t)i] = there ? nodes[heap[i]].child[0] : 0;
		heap[2 * (size_t)i + 1] = there ? nodes[heap[i]].child[1] : 0;
	}
}

static int fill_node(struct build *build, uint32_t number)
{
	struct gm_treebitmap *trie = build->trie;
	uint32_t width = UINT32_C(1) << trie->stride;
	struct tbm_node node = { 0, 0, trie->nodes.count, trie->results.count };
	uint32_t heap[HEAP];
	int error = GM_LPM_OK;

	spread(build, build->origins[number], heap);
	for (uint32_t i = 1; i < width && !error; i++) {
		uint32_t next_hop = i == 1 || heap[i] ? build->unibit.nodes[heap[i]].next_hop : 0;

		if (next_hop) {
			node.internal |= UINT64_C(1) << (i - 1);
			error = append_result(build, next_hop);
		}
	}
	for (uint32_t i = 0; i < width && !error; i++) {
		if (heap[width + i]) {
			node.external |= UINT64_C(1) << i;
			error = append_node(build, heap[width + i]);
		}
	}
	tbm_store(trie->nodes.elements, trie->stride, number, &node);
	return error;
}

/* The next hops of prefixes that are shorter than the first array; the others are in nodes. */
static void inherit(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes)
{
	uint32_t slots = UINT32_C(1) << trie->bits;

	memset(trie->inherited, 0, slots * sizeof(*trie->inherited));
	/* Sorted by address and length: a longer prefix comes after the one that covers it. */
	for (uint32_t i = 0; i < prefixes->count; i++) {
		const struct gm_route *route = &prefixes->routes[i];
		uint32_t begin = (uint32_t)(route->key.hi >> (64 - trie->bits));

		if (route->length >= trie->bits)
			continue;
		for (uint32_t j = 0; j < slots >> route->length; j++)
			trie->inherited[begin + j] = (uint16_t)route->next_hop;
	}
}

/* Node 0 is an empty one, to which slots without a node lead. */
static int fill_first(struct build *build, const struct gm_prefixes *prefixes)
{
	struct gm_treebitmap *trie = build->trie;
	uint32_t slots = UINT32_C(1) << trie->bits;
	struct gm_unibit_place *places = malloc(slots * sizeof(*places));
	int error;

	trie->slots = malloc(slots * sizeof(*trie->slots));
	trie->inherited = malloc(slots * sizeof(*trie->inherited));
	if (!places || !trie->slots || !trie->inherited) {
		free(places);
		return GM_LPM_NO_MEMORY;
	}
	inherit(trie, prefixes);
	places[0] = gm_unibit_root(&build->unibit);
	gm_unibit_spread(&build->unibit, trie->bits, places);
	error = append_node(build, 0);
	for (uint32_t i = 0; i < slots && !error; i++) {
		trie->slots[i] = places[i].node ? trie->nodes.count : 0;
		if (places[i].node)
			error = append_node(build, places[i].node);
	}
	free(places);
	return error;
}

static int fill(struct build *build, const struct gm_prefixes *prefixes)
{
	struct gm_treebitmap *trie = build->trie;
	struct tbm_node empty = { 0, 0, 0, 0 };
	int error = trie->bits ? fill_first(build, prefixes) : append_node(build, 0);

	if (!error && trie->bits)
		tbm_store(trie->nodes.elements, trie->stride, 0, &empty);
	for (uint32_t i = trie->bits != 0; i < trie->nodes.count && !error; i++)
		error = fill_node(build, i);
	return error;
}

static void begin(struct gm_treebitmap *trie, uint32_t stride, uint32_t bits)
{
	static const size_t sizes[] = { sizeof(struct gm_tbm4_node), sizeof(struct gm_tbm5_node),
					sizeof(struct gm_tbm6_node) };

	memset(trie, 0, sizeof(*trie));
	trie->stride = stride;
	trie->bits = bits;
	trie->nodes.size = sizes[stride - 4];
	trie->results.size = sizeof(uint16_t);
	for (uint32_t chunk = 0; chunk < UINT32_C(1) << stride; chunk++) {
		for (uint32_t r = 0; r < stride; r++)
			trie->paths[chunk] |= UINT64_C(1)
					      << ((1U << r) - 1 + (chunk >> (stride - r)));
	}
}

int gm_treebitmap_build(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes,
			uint32_t stride, uint32_t bits)
{
	struct build build = { trie, { 0 }, NULL, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	begin(trie, stride, bits);
	if (!error)
		error = fill(&build, prefixes);
	trie->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			   build.origin_capacity * sizeof(*build.origins) +
			   tbm_pool_peak(&trie->nodes) + tbm_pool_peak(&trie->results) +
			   (bits ? (sizeof(*trie->slots) + sizeof(*trie->inherited) +
				    sizeof(struct gm_unibit_place))
					    << bits
				 : 0);
	gm_unibit_free(&build.unibit);
	free(build.origins);
	if (error)
		gm_treebitmap_free(trie);
	return error;
}

uint32_t gm_treebitmap_nodes(const struct gm_treebitmap *trie)
{
	return trie->nodes.live - (trie->bits != 0);
}

size_t gm_treebitmap_bytes(const struct gm_treebitmap *trie)
{
	size_t first = trie->bits ? (sizeof(*trie->slots) + sizeof(*trie->inherited)) << trie->bits
				  : 0;

	return first + trie->nodes.live * trie->nodes.size +
	       trie->results.live * trie->results.size;
}

void gm_treebitmap_free(struct gm_treebitmap *trie)
{
	tbm_pool_free(&trie->nodes);
	tbm_pool_free(&trie->results);
	free(trie->slots);
	free(trie->inherited);
	memset(trie, 0, sizeof(*trie));
}
