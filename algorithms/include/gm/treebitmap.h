/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TreeBitmap: a trie of 4, 5 or 6 bits a node, whose two bitmaps say which prefixes end in it and
 * which children it has. The smallest of the structures that can be changed in place. Both
 * families.
 *
 * Source: W. Eatherton, G. Varghese, Z. Dittia, "Tree bitmap: hardware/software IP lookups with
 * incremental updates" (CCR 2004).
 */
#ifndef GM_TREEBITMAP_H
#define GM_TREEBITMAP_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

enum { GM_TREEBITMAP_STRIDE_MOST = 6 };

struct gm_tbm4_node {
	uint16_t internal, external;
	uint32_t child_base, result_base;
};

struct gm_tbm5_node {
	uint32_t internal, external;
	uint32_t child_base, result_base;
};

struct gm_tbm6_node {
	uint64_t internal, external;
	uint32_t child_base, result_base;
};

/*
 * 32 slots of a packed first array. A slot is a node, or the next hop of all that is below it.
 * Equal next hops that follow each other are one result, whatever nodes are between them.
 */
struct gm_tbm_block {
	uint32_t nodes; /* bit i: slot i is a node */
	uint32_t changes; /* bit i: the next hop after slot i is another than the one before */
	uint32_t node_base, result_base; /* of the block's first node and first next hop */
};

/* Blocks of 1..64 elements in one array; free blocks are kept by their length. */
struct gm_treebitmap_pool {
	void *elements;
	size_t size; /* of an element, in bytes */
	uint32_t count; /* elements that were handed out at some time */
	uint32_t capacity;
	uint32_t live; /* elements that are in use */
	struct gm_treebitmap_free {
		uint32_t *starts;
		uint32_t count, capacity;
	} free[(1 << GM_TREEBITMAP_STRIDE_MOST) + 1];
};

struct gm_treebitmap {
	struct gm_treebitmap_pool nodes; /* gm_tbm4_node, gm_tbm5_node or gm_tbm6_node */
	struct gm_treebitmap_pool results; /* uint16_t */
	uint32_t *slots; /* of the first array: a node, or 0; NULL: none, and node 0 is the root */
	uint16_t *inherited; /* next hops of prefixes that are shorter than its bits */
	struct gm_tbm_block *blocks; /* of a packed first array, in place of both; or NULL */
	uint32_t stride;
	uint32_t bits; /* of the first array */
	uint64_t paths[1 << GM_TREEBITMAP_STRIDE_MOST]; /* positions of what covers a chunk */
	size_t peak_bytes;
};

/* Builds from sorted prefixes. `stride` 4, 5 or 6; `bits` of a first array, 0 (none) to 20. */
int gm_treebitmap_build(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes,
			uint32_t stride, uint32_t bits);

/*
 * The same with a packed first array of `bits` 5 to 20. It has the speed of an array that is as
 * wide, and its size depends on the prefixes: with stride 5 and 20 bits, a full table of IPv4 is
 * smaller than without one.
 */
int gm_treebitmap_build_packed(struct gm_treebitmap *trie, const struct gm_prefixes *prefixes,
			       uint32_t stride, uint32_t bits);

/* Adds a prefix or changes its next hop; GM_LPM_STATIC with a first array. */
int gm_treebitmap_insert(struct gm_treebitmap *trie, const struct gm_route *route);

/* Removes a prefix; GM_LPM_ABSENT if there is none, GM_LPM_STATIC with a first array. */
int gm_treebitmap_delete(struct gm_treebitmap *trie, const struct gm_route *route);

/* Next hops of many addresses, or 0; `_popcnt` needs that instruction (x86-64). */
void gm_treebitmap_lookup4_n(const struct gm_treebitmap *trie, const uint32_t *keys,
			     uint32_t *results, size_t count);
void gm_treebitmap_lookup6_n(const struct gm_treebitmap *trie, const struct gm_key *keys,
			     uint32_t *results, size_t count);
void gm_treebitmap_lookup4_n_popcnt(const struct gm_treebitmap *trie, const uint32_t *keys,
				    uint32_t *results, size_t count);
void gm_treebitmap_lookup6_n_popcnt(const struct gm_treebitmap *trie, const struct gm_key *keys,
				    uint32_t *results, size_t count);

/* Nodes in use; a first array's empty node is not counted. */
uint32_t gm_treebitmap_nodes(const struct gm_treebitmap *trie);

size_t gm_treebitmap_bytes(const struct gm_treebitmap *trie);

void gm_treebitmap_free(struct gm_treebitmap *trie);

#endif
