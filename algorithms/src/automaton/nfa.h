/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The automaton without empty moves that all engines are built from, in place form: a state is a
 * place between the elements of an expression, and an edge a byte set that leads to another place.
 * A starred set is an edge from its place to itself.
 *
 * Assertions are resolved while it is built: what stands before a place is known by the byte that
 * led there (a place after a newline is another), and what must follow narrows the next edge. So an
 * engine knows only bytes, and accepts of two kinds: at once, and at the record's end.
 *
 * Places active before the first byte: {roots[GM_ROOT_START]}. After byte b: the targets of all
 * edges of active places whose set has b, and roots[GM_ROOT_NEWLINE] if b is a newline, else
 * roots[GM_ROOT_OTHER]. A place with no edge and no accept is never a target; a root may be such.
 * A place that accepts a pattern at once has no edges of that pattern: it is found already.
 *
 * Source: L. Ilie, S. Yu, "Follow automata" (2003).
 */
#ifndef GM_AUTOMATON_NFA_H
#define GM_AUTOMATON_NFA_H

#include "gm/match.h"
#include "gm/patterns.h"
#include "pattern/forest.h"

struct gm_edge {
	uint32_t set; /* in `sets` */
	uint32_t target;
};

/* Each has the items from its own index to that of the next place. */
struct gm_place {
	uint32_t edges;
	uint32_t accepts; /* pattern ids */
	uint32_t end_accepts; /* pattern ids */
};

enum { GM_ROOT_START, GM_ROOT_OTHER, GM_ROOT_NEWLINE };

struct gm_nfa {
	struct gm_place *places; /* place_count + 1 of them */
	uint32_t place_count, place_room;
	struct gm_edge *edges;
	uint32_t edge_count, edge_room;
	uint32_t *accepts, *end_accepts;
	uint32_t accept_count, accept_room, end_count, end_room;
	struct gm_forest sets; /* its sets alone: those of the edges */
	uint32_t roots[3];
	uint32_t patterns; /* how many */
	uint8_t classes
		[256]; /* of each byte: bytes of one class lead everywhere to the same place */
	uint8_t bytes[256]; /* of each class: its first byte */
	uint32_t class_count;
};

/*
 * The automaton of a set. GM_MATCH_OK, GM_MATCH_MEMORY, or GM_MATCH_LIMIT with the pattern's line if
 * it would need more than bounds->max_bytes.
 */
int gm_nfa_build(struct gm_nfa *nfa, const struct gm_patterns *patterns,
		 const struct gm_match_bounds *bounds, struct gm_match_error *error);

void gm_nfa_free(struct gm_nfa *nfa);

/* Has the place neither edges nor accepts? */
int gm_nfa_dead(const struct gm_nfa *nfa, uint32_t place);

/* The bytes that the automaton holds. */
uint64_t gm_nfa_bytes(const struct gm_nfa *nfa);

#endif
