/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subset construction: a state of the deterministic automaton is a set of places. Sets are kept
 * once, in ascending order, and found again by a hash.
 */
#ifndef GM_AUTOMATON_SUBSET_H
#define GM_AUTOMATON_SUBSET_H

#include "automaton/nfa.h"

struct gm_subset {
	const struct gm_nfa *nfa;
	const uint8_t *closed; /* places whose edges are not followed; NULL for none */
	uint32_t *firsts; /* state i is places[firsts[i]] to places[firsts[i + 1]] */
	uint32_t state_count, first_room;
	uint32_t *places;
	uint32_t place_count, place_room;
	uint32_t *chain; /* the next state with the same hash */
	uint32_t chain_room;
	uint32_t *heads;
	uint32_t head_mask; /* the number of heads is a power of two */
	uint32_t *seen; /* the step in which a place was last reached */
	uint32_t step;
	uint32_t *work; /* the set that is being made */
	uint32_t work_count;
	uint32_t *root_firsts; /* where each root's targets of each class begin in root_targets */
	uint32_t *root_targets;
};

/* All return a status of enum gm_match_status. The automaton must stay as long as the subset. */
int gm_subset_init(struct gm_subset *subset, const struct gm_nfa *nfa);
void gm_subset_free(struct gm_subset *subset);

/* The state of these places, in any order, each once. */
int gm_subset_state(struct gm_subset *subset, const uint32_t *places, uint32_t count,
		    uint32_t *state);

/* The state before the first byte. */
int gm_subset_start(struct gm_subset *subset, uint32_t *state);

/* The state after a byte of a class. */
int gm_subset_step(struct gm_subset *subset, uint32_t state, uint32_t byte_class, uint32_t *target);

/* Forgets all states. */
void gm_subset_clear(struct gm_subset *subset);

/* The bytes that it holds. */
uint64_t gm_subset_bytes(const struct gm_subset *subset);

#endif
