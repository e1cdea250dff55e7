/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deterministic automaton as a table of states and byte classes: start is state 0, and states
 * are numbered by their first visit, breadth-first, classes ascending.
 */
#ifndef GM_AUTOMATON_DFA_H
#define GM_AUTOMATON_DFA_H

#include "automaton/nfa.h"

/* Lists of pattern ids, each kept once; list 0 is empty. */
struct gm_lists {
	uint32_t *firsts; /* list i is ids[firsts[i]] to ids[firsts[i + 1]] */
	uint32_t count, first_room;
	uint32_t *ids;
	uint32_t id_count, id_room;
};

int gm_lists_init(struct gm_lists *lists);
void gm_lists_free(struct gm_lists *lists);

/* Appends an id to the list that is being made. */
int gm_lists_append(struct gm_lists *lists, uint32_t id);

/* Ends the list that is being made, sorted, each id once: its number, or that of its equal. */
int gm_lists_close(struct gm_lists *lists, uint32_t *list);

struct gm_dfa {
	uint32_t state_count;
	uint32_t class_count;
	uint8_t classes[256];
	uint32_t *next; /* of state s and class c: next[s * class_count + c] */
	uint32_t *accepts; /* of each state: its list of ids found */
	uint32_t *end_accepts; /* and of those found if the record ends here */
	struct gm_lists lists;
	/* Of subset construction with borders: the places of each state that start tails. */
	uint32_t *borders;
	/* What its building took. */
	uint32_t subset_states;
	uint32_t patterns;
	uint64_t peak_bytes;
};

/*
 * Subset construction and minimisation. `closed` marks places whose edges are not followed (NULL for
 * none); states that have other such places stay apart, and `borders` names their lists.
 * GM_MATCH_OK, GM_MATCH_MEMORY, or GM_MATCH_LIMIT with error->reached states or bytes.
 */
int gm_dfa_build(struct gm_dfa *dfa, const struct gm_nfa *nfa, const uint8_t *closed,
		 const struct gm_match_bounds *bounds, struct gm_match_error *error);

/* Merges equivalent states (Hopcroft) and renumbers. Called by gm_dfa_build. */
int gm_dfa_minimize(struct gm_dfa *dfa);

void gm_dfa_free(struct gm_dfa *dfa);

/* `bounds` with the defaults in place of zeros. */
struct gm_match_bounds gm_bounds(const struct gm_match_bounds *bounds);

#endif
