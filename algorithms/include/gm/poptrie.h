/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Poptrie: a direct array over the first bits, then nodes of 64 slots that two bitmaps compress.
 * For IPv4 and IPv6; static: a changed table is built anew.
 *
 * Source: H. Asai, Y. Ohara, "Poptrie: a compressed trie with population count for fast and
 * scalable software IP routing table lookup" (SIGCOMM 2015).
 */
#ifndef GM_POPTRIE_H
#define GM_POPTRIE_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

#define GM_POPTRIE_LEAF UINT32_C(0x80000000)

struct gm_poptrie_node {
	uint64_t vector; /* bit v: slot v is a node */
	uint64_t leafvec; /* bit v: a leaf begins at slot v that differs from the one before */
	uint32_t node_base; /* of the nodes of this node, which lie together */
	uint32_t leaf_base; /* of its leaves, likewise */
};

struct gm_poptrie {
	uint32_t *direct; /* 2^bits slots: a node's number, or GM_POPTRIE_LEAF and a next hop */
	struct gm_poptrie_node *nodes;
	uint16_t *leaves; /* next hops */
	uint32_t bits;
	uint32_t node_count;
	uint32_t leaf_count;
	size_t peak_bytes; /* the most that was allocated while it was built */
};

/* Builds from sorted prefixes of either family; `bits` 1..20 for the direct array. */
int gm_poptrie_build(struct gm_poptrie *trie, const struct gm_prefixes *prefixes, uint32_t bits);

/* The next hop of an address, or 0. The table must be of that family. */
uint32_t gm_poptrie_lookup4(const struct gm_poptrie *trie, uint32_t key);
uint32_t gm_poptrie_lookup6(const struct gm_poptrie *trie, const struct gm_key *key);

/* The same for many addresses, several at a time; `_popcnt` needs that instruction (x86-64). */
void gm_poptrie_lookup4_n(const struct gm_poptrie *trie, const uint32_t *keys, uint32_t *results,
			  size_t count);
void gm_poptrie_lookup6_n(const struct gm_poptrie *trie, const struct gm_key *keys,
			  uint32_t *results, size_t count);
void gm_poptrie_lookup4_n_popcnt(const struct gm_poptrie *trie, const uint32_t *keys,
				 uint32_t *results, size_t count);
void gm_poptrie_lookup6_n_popcnt(const struct gm_poptrie *trie, const struct gm_key *keys,
				 uint32_t *results, size_t count);

/* What a look-up may touch, in bytes. */
size_t gm_poptrie_bytes(const struct gm_poptrie *trie);

void gm_poptrie_free(struct gm_poptrie *trie);

#endif
