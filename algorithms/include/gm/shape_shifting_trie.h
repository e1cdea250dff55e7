/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shape Shifting Trie: each node holds a connected piece of up to K nodes of a binary trie, of any
 * shape. Both families; static: a changed table is built anew.
 *
 * Source: H. Song, J. Turner, J. Lockwood, "Shape shifting trees for faster IP lookup" (ICNP
 * 2005).
 */
#ifndef GM_SHAPE_SHIFTING_TRIE_H
#define GM_SHAPE_SHIFTING_TRIE_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

enum gm_sst_cut {
	GM_SST_HEIGHT, /* as few nodes from root to leaf as can be */
	GM_SST_MERGED /* the same height, then pieces that fit into one node are merged */
};

/* K = 7: 14 bits of shape, 7 of prefixes, 8 of children, from the lowest. */
struct gm_sst7_node {
	uint32_t bits;
	uint32_t child_base, result_base;
};

/* K = 15: 30 bits of shape, 15 of prefixes, 16 of children. */
struct gm_sst15_node {
	uint64_t bits;
	uint32_t child_base, result_base;
};

struct gm_sst {
	void *nodes; /* gm_sst7_node or gm_sst15_node; node 0 is the root */
	uint16_t *results;
	uint32_t size; /* K: 7 or 15 */
	uint32_t node_count;
	uint32_t result_count;
	uint32_t height; /* nodes from the root to the deepest leaf */
	size_t peak_bytes;
};

/* Builds from sorted prefixes; `size` 7 or 15. */
int gm_sst_build(struct gm_sst *trie, const struct gm_prefixes *prefixes, uint32_t size,
		 enum gm_sst_cut cut);

/* Next hops of many addresses, or 0; `_popcnt` needs that instruction (x86-64). */
void gm_sst_lookup4_n(const struct gm_sst *trie, const uint32_t *keys, uint32_t *results,
		      size_t count);
void gm_sst_lookup6_n(const struct gm_sst *trie, const struct gm_key *keys, uint32_t *results,
		      size_t count);
void gm_sst_lookup4_n_popcnt(const struct gm_sst *trie, const uint32_t *keys, uint32_t *results,
			     size_t count);
void gm_sst_lookup6_n_popcnt(const struct gm_sst *trie, const struct gm_key *keys,
			     uint32_t *results, size_t count);

size_t gm_sst_bytes(const struct gm_sst *trie);

void gm_sst_free(struct gm_sst *trie);

#endif
