/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of a literal set's prefixes with failures: what both forms of Aho-Corasick are made of.
 * States are numbered breadth-first with bytes ascending, so the children of a state have
 * consecutive numbers: those of s are first[s] up to first[s + 1].
 */
#ifndef GM_LITERAL_TRIE_H
#define GM_LITERAL_TRIE_H

#include "pattern/literal.h"

struct gm_trie {
	uint32_t states;
	uint32_t classes; /* of bytes; class 0 is what no literal has */
	uint8_t map[256]; /* byte to class */
	uint32_t *first; /* states + 1 */
	uint8_t *label; /* the class that leads to a state */
	uint32_t *fail; /* the longest proper suffix that is a state */
	uint32_t *link; /* the longest proper suffix that ends a literal; 0: none */
	uint32_t *low; /* the literals that end here are sorted[low[s]] ... */
	uint32_t *own; /* ... of this number */
	uint32_t *sorted; /* literals in byte order */
	size_t bytes; /* of all arrays */
};

/* 0, or -1 without memory; free it in both cases. Letters are folded if the set has nocase. */
int gm_trie_build(struct gm_trie *trie, const struct gm_literal_set *set);
void gm_trie_free(struct gm_trie *trie);

/* The child of a state by a class; 0: none. */
static inline uint32_t gm_trie_child(const struct gm_trie *trie, uint32_t state, uint32_t class)
{
	for (uint32_t child = trie->first[state]; child < trie->first[state + 1]; child++) {
		if (trie->label[child] == class)
			return child;
	}
	return 0;
}

#endif
