/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deterministic automata with default transitions, which read nothing: a state keeps only the
 * transitions in which it differs from its default. D2FA and A-DFA differ in the choice of defaults.
 *
 * A state has a piece for each 32 classes: which of them it keeps, where their targets begin, and
 * its default. So a visit is one load for the piece and one for the target.
 */
#ifndef GM_MATCH_DELAYED_H
#define GM_MATCH_DELAYED_H

#include "automaton/dfa.h"
#include "payload/result.h"

#define GM_NO_DEFAULT UINT32_MAX

struct gm_delayed_piece {
	uint32_t kept; /* a bit for each class */
	uint32_t targets; /* the index of the first one's target */
	uint32_t otherwise; /* the default state */
};

struct gm_delayed {
	struct gm_dfa dfa; /* without its table */
	struct gm_delayed_piece *pieces;
	uint32_t pieces_a_state; /* states are numbers of their first piece */
	uint32_t *targets;
	uint32_t target_count;
	uint32_t *order; /* the automaton's number of each state here */
	uint32_t events, dead, start;
	struct gm_hits *hits;
	uint32_t positions;
	uint32_t labelled, defaults; /* transitions; labelled ones count bytes, not classes */
	uint32_t longest; /* default path */
	uint32_t depth; /* the largest distance of a state from the start, for A-DFA */
	uint64_t visits, bytes; /* of the scans so far */
};

/* Chooses defaults[s] for each state, GM_NO_DEFAULT for none. A status of enum gm_match_status. */
typedef int gm_defaults(const struct gm_dfa *dfa, const uint32_t *weights,
			const struct gm_match_bounds *bounds, uint32_t *defaults,
			struct gm_match_error *error);

gm_defaults gm_d2fa_defaults;
gm_defaults gm_adfa_defaults;

/* An engine's functions, but for the choice of defaults. */
void *gm_delayed_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
		       struct gm_match_error *error, gm_defaults *choose);
int gm_delayed_scan(void *engine, const struct gm_records *records, struct gm_result *result);
void gm_delayed_count(const void *engine, struct gm_counters *counters);
uint64_t gm_delayed_bytes(const void *engine);
void gm_delayed_free(void *engine);

/* The state after a byte, by the defaults; both are numbers of the minimal automaton. */
uint32_t gm_delayed_next(const struct gm_delayed *delayed, uint32_t state, uint8_t byte);

/* How many bytes lead both states to the same one; weights[c] is the number of bytes of class c. */
uint32_t gm_common(const struct gm_dfa *dfa, const uint32_t *weights, uint32_t state,
		   uint32_t other);

#endif
