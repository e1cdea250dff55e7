/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hybrid automaton: a deterministic head, and tails that are sets of places. Border places, from
 * which a set would multiply the head's states, end the head and begin the tails.
 */
#ifndef GM_MATCH_HFA_H
#define GM_MATCH_HFA_H

#include "automaton/dfa.h"
#include "payload/result.h"

struct gm_hfa {
	struct gm_dfa head;
	struct gm_nfa nfa;
	uint32_t *firsts; /* of place p and class c: where the targets begin, at p * classes + c */
	uint32_t *targets;
	uint32_t tail_states; /* of all borders that the head reaches: each with all later places */
	uint32_t borders;
	uint32_t positions;
	uint32_t *active, *coming; /* places of the tails, now and after the byte */
	uint32_t *stamps; /* the step at which a place came last */
	uint32_t active_count, coming_count, step;
	struct gm_hits hits;
	uint64_t bytes, active_sum; /* of the scans so far */
	uint32_t active_most;
};

int gm_hfa_scan(void *engine, const struct gm_records *records, struct gm_result *result);

#endif
