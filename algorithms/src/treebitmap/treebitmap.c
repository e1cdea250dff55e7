/* SPDX-License-Identifier: Apache-2.0 */
/* Building a TreeBitmap breadth-first: every block is written once, shallow levels first. */
#include "lpm/array.h"
#include "treebitmap/build.h"
#include "treebitmap/node.h"
#include "treebitmap/pool.h"

#include <string.h>

enum { HEAP = 2 << GM_TREEBITMAP_STRIDE_MOST };

/*
 * heap[2^r + v]: the unibit node r bits below the origin, by the value v of these bits; so the
 * position of its prefix in the internal bitmap is the heap's place less 1. 0: none.
 */
static void spread(const struct tbm_build *build, uint32_t origin, uint32_t *heap)
{
	const struct gm_unibit_node *nodes = build->unibit.nodes;

	heap[1] = origin;
	for (uint32_t i = 1; i < UINT32_C(1) << build->trie->stride; i++) {
		int there = i == 1 || heap[i];

		heap[2 * (size_t)i] = there ? nodes[heap[i]].child[0] : 0;
		heap[2 * (size_t)i + 1] = there ? nodes[heap[i]].child[1] : 0;
	}
}

static int fill_node(struct tbm_build *build, uint32_t number)
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
			error = tbm_append_result(build, next_hop);
		}
	}
	for (uint32_t i = 0; i < width && !error; i++) {
		if (heap[width + i]) {
			node.external |= UINT64_C(1) << i;
			error = tbm_append_node(build, heap[width + i]);
		}
	}
	tbm_store(trie->nodes.elements, trie->stride, number, &node);
	return error;
}

static int fill(struct tbm_build *build, const struct gm_prefixes *prefixes, int packed)
{
	struct gm_treebitmap *trie = build->trie;
	struct tbm_node empty = { 0, 0, 0, 0 };
	int error;

	if (packed)
		error = tbm_fill_packed(build);
	else if (trie->bits)
		error = tbm_fill_first(build, prefixes);
	else
		error = tbm_append_node(build, 0);
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

static size_t first_bytes(const struct gm_treebitmap *trie)
{
	if (trie->blocks)
		return sizeof(*trie->blocks) << (trie->bits - 5);
	return trie->bits ? (sizeof(*trie->slots) + sizeof(*trie->inherited)) << trie->bits : 0;
}

static int build_any(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes,
		     uint32_t stride, uint32_t bits, int packed)
{
	struct tbm_build build = { trie, { 0 }, NULL, 0 };
	int error = gm_unibit_build(&build.unibit, prefixes);

	begin(trie, stride, bits);
	if (!error)
		error = fill(&build, prefixes, packed);
	trie->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			   build.origin_capacity * sizeof(*build.origins) +
			   tbm_pool_peak(&trie->nodes) + tbm_pool_peak(&trie->results) +
			   first_bytes(trie) + (bits ? sizeof(struct gm_unibit_place) << bits : 0);
	gm_unibit_free(&build.unibit);
	free(build.origins);
	if (error)
		gm_treebitmap_free(trie);
	return error;
}

int gm_treebitmap_build(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes,
			uint32_t stride, uint32_t bits)
{
	return build_any(trie, prefixes, stride, bits, 0);
}

int gm_treebitmap_build_packed(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes,
			       uint32_t stride, uint32_t bits)
{
	return build_any(trie, prefixes, stride, bits, 1);
}

uint32_t gm_treebitmap_nodes(const struct gm_treebitmap *trie)
{
	return trie->nodes.live - (trie->bits != 0);
}

size_t gm_treebitmap_bytes(const struct gm_treebitmap *trie)
{
	return first_bytes(trie) + trie->nodes.live * trie->nodes.size +
	       trie->results.live * trie->results.size;
}

void gm_treebitmap_free(struct gm_treebitmap *trie)
{
	tbm_pool_free(&trie->nodes);
	tbm_pool_free(&trie->results);
	free(trie->slots);
	free(trie->inherited);
	free(trie->blocks);
	memset(trie, 0, sizeof(*trie));
}
