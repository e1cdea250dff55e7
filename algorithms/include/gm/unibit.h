/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trie that branches on one bit a node: the oracle of all other structures, and what they are
 * built from. It is too slow and too large to be used for itself.
 */
#ifndef GM_UNIBIT_H
#define GM_UNIBIT_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

struct gm_unibit_node {
	uint32_t child[2]; /* 0: none */
	uint32_t next_hop; /* 0: no prefix ends here */
};

/* Node 0 is the root. In a trie from which nothing was deleted, a child's number is higher. */
struct gm_unibit {
	struct gm_unibit_node *nodes;
	uint32_t count; /* of the pool */
	uint32_t live; /* of the trie, the root among them */
	uint32_t capacity;
	uint32_t free; /* a list through child[0]; 0: empty */
};

/* Makes a trie with nothing but its root. */
int gm_unibit_init(struct gm_unibit *trie);

/* Makes a trie of sorted prefixes; its nodes are numbered in the order of a walk. */
int gm_unibit_build(struct gm_unibit *trie, const struct gm_prefixes *prefixes);

/* Adds a prefix, or gives it another next hop. */
int gm_unibit_insert(struct gm_unibit *trie, const struct gm_route *route);

/* Removes a prefix and all nodes that lead nowhere then. GM_LPM_ABSENT if there is none. */
int gm_unibit_delete(struct gm_unibit *trie, const struct gm_route *route);

/* The next hop of the longest prefix that covers the key, or 0. `bits`: 32 or 128. */
uint32_t gm_unibit_lookup(const struct gm_unibit *trie, const struct gm_key *key, uint32_t bits);

void gm_unibit_free(struct gm_unibit *trie);

/* A place below a node: the node that is there, or 0, and what covers all that is below it. */
struct gm_unibit_place {
	uint32_t node; /* 0: none, but for the place of the root itself */
	uint32_t next_hop;
};

/*
 * Spreads the `bits` levels below places[0] over 2^bits places, in the order of addresses. A place
 * without a node has the next hop that covers it.
 */
void gm_unibit_spread(const struct gm_unibit *trie, uint32_t bits, struct gm_unibit_place *places);

/* The place of the root: what gm_unibit_spread() begins with. */
struct gm_unibit_place gm_unibit_root(const struct gm_unibit *trie);

/* Whether longer prefixes are below a place that is not the root: else it is one next hop. */
static inline int gm_unibit_branches(const struct gm_unibit *trie, struct gm_unibit_place place)
{
	const struct gm_unibit_node *node = &trie->nodes[place.node];

	return place.node && (node->child[0] || node->child[1]);
}

#endif
