/* SPDX-License-Identifier: Apache-2.0 */
/* First arrays of a TreeBitmap: a plain one, and one whose slots are packed by their bits. */
#include "common/bits.h"
#include "treebitmap/build.h"

#include <string.h>

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
int tbm_fill_first(struct tbm_build *build, const struct gm_prefixes *prefixes)
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
	error = tbm_append_node(build, 0);
	for (uint32_t i = 0; i < slots && !error; i++) {
		trie->slots[i] = places[i].node ? trie->nodes.count : 0;
		if (places[i].node)
			error = tbm_append_node(build, places[i].node);
	}
	free(places);
	return error;
}

static int append_change(struct tbm_build *build, uint32_t next_hop, uint32_t *before)
{
	if (next_hop == *before)
		return GM_LPM_OK;
	*before = next_hop;
	return tbm_append_result(build, next_hop);
}

/*
 * Makes a block of 32 places. `before` is the next hop that was written last: a block that begins
 * with it shares its result.
 */
static int fill_block(struct tbm_build *build, const struct gm_unibit_place *places,
		      struct gm_tbm_block *block, uint32_t *before)
{
	struct gm_treebitmap *trie = build->trie;
	uint32_t last = UINT32_MAX; /* the next hop of the slot before that is none of a node */
	int error = GM_LPM_OK;

	block->nodes = 0;
	block->changes = 0;
	block->node_base = trie->nodes.count;
	block->result_base = 0;
	for (uint32_t i = 0; i < 32 && !error; i++) {
		if (gm_unibit_branches(&build->unibit, places[i])) {
			block->nodes |= UINT32_C(1) << i;
			/* What covers the slot is in the node, so that nothing above is asked. */
			build->unibit.nodes[places[i].node].next_hop = places[i].next_hop;
			error = tbm_append_node(build, places[i].node);
			continue;
		}
		error = append_change(build, places[i].next_hop, before);
		if (last == UINT32_MAX)
			block->result_base = trie->results.count - 1;
		else if (places[i].next_hop != last)
			block->changes |= UINT32_C(1) << (i - 1);
		last = places[i].next_hop;
	}
	return error;
}

int tbm_fill_packed(struct tbm_build *build)
{
	struct gm_treebitmap *trie = build->trie;
	size_t blocks = (size_t)1 << (trie->bits - 5);
	struct gm_unibit_place *places = malloc(blocks * 32 * sizeof(*places));
	uint32_t before = 0;
	int error;

	trie->blocks = malloc(blocks * sizeof(*trie->blocks));
	if (!places || !trie->blocks) {
		free(places);
		return GM_LPM_NO_MEMORY;
	}
	places[0] = gm_unibit_root(&build->unibit);
	gm_unibit_spread(&build->unibit, trie->bits, places);
	error = tbm_append_node(build, 0);
	if (!error)
		error = tbm_append_result(build, 0); /* at place 0: no route */
	for (size_t i = 0; i < blocks && !error; i++)
		error = fill_block(build, places + 32 * i, &trie->blocks[i], &before);
	free(places);
	return error;
}
