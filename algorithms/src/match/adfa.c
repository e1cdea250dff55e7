/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A-DFA: a default leads to a state that is nearer to the start. A byte leads at most one farther,
 * so N bytes cost at most 2N visits.
 *
 * Source: M. Becchi, P. Crowley, "A-DFA: a time- and space-efficient DFA compression algorithm for
 * fast regular expression evaluation" (2013).
 */
#include "match/delayed.h"
#include "match/engines.h"

#include <stdlib.h>

/* The distance of each state from the start; states are numbered in its order. */
static void find_depths(const struct gm_dfa *dfa, uint32_t *depths)
{
	for (uint32_t state = 0; state < dfa->state_count; state++)
		depths[state] = UINT32_MAX;
	depths[0] = 0;
	for (uint32_t state = 0; state < dfa->state_count; state++) {
		for (uint32_t i = 0; i < dfa->class_count; i++) {
			uint32_t target = dfa->next[(size_t)state * dfa->class_count + i];

			if (depths[target] == UINT32_MAX)
				depths[target] = depths[state] + 1;
		}
	}
}

/*
 * The state nearer to the start with most in common. States are numbered by depth, so the first of
 * the best is the one that is nearest and has the least number.
 */
static uint32_t choose(const struct gm_dfa *dfa, const uint32_t *weights, const uint32_t *depths,
		       uint32_t state)
{
	uint32_t best = GM_NO_DEFAULT;
	uint32_t most = 0;

	for (uint32_t other = 0; other < state && depths[other] < depths[state]; other++) {
		uint32_t common = gm_common(dfa, weights, state, other);

		if (common > most) {
			most = common;
			best = other;
		}
	}
	return best;
}

int gm_adfa_defaults(const struct gm_dfa *dfa, const uint32_t *weights,
		     const struct gm_match_bounds *bounds, uint32_t *defaults,
		     struct gm_match_error *error)
{
	uint32_t *depths = malloc((dfa->state_count + (size_t)1) * sizeof(*depths));

	(void)bounds;
	(void)error;
	if (!depths)
		return GM_MATCH_MEMORY;
	find_depths(dfa, depths);
	for (uint32_t state = 0; state < dfa->state_count; state++)
		defaults[state] = choose(dfa, weights, depths, state);
	free(depths);
	return GM_MATCH_OK;
}

static void *build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
		   struct gm_match_error *error)
{
	return gm_delayed_build(patterns, bounds, error, gm_adfa_defaults);
}

const struct gm_engine gm_engine_adfa = {
	"adfa",
	"defaults towards the start: at most two visits a byte",
	build,
	gm_delayed_scan,
	gm_delayed_count,
	gm_delayed_bytes,
	gm_delayed_free,
};
