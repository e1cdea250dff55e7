/* SPDX-License-Identifier: Apache-2.0 */
/* The automata of small sets: counts that are unique, and what their defaults stand for. */
#include "automaton/dfa.h"
#include "automaton/nfa.h"
#include "gm/match.h"
#include "gm/patterns.h"
#include "match/delayed.h"
#include "match/engines.h"
#include "tests/test.h"

#include <string.h>

static const struct set {
	const char *name;
	uint32_t subset, minimal;
	uint32_t d2fa[3], trees[3]; /* diameter unbounded, 4, 2 */
	uint32_t adfa, longest;
	uint32_t head, tail;
} sets[] = {
	{ "T1", 6, 6, { 260, 260, 260 }, { 1, 1, 1 }, 260, 1, 6, 0 },
	{ "T2", 10, 9, { 516, 516, 516 }, { 2, 2, 2 }, 515, 3, 5, 3 },
	{ "T3", 144, 112, { 4160, 4160, 4160 }, { 16, 16, 16 }, 4145, 9, 9, 12 },
	{ "T4", 144, 112, { 4130, 4144, 4160 }, { 1, 8, 16 }, 4130, 9, 9, 12 },
	{ "T5", 10, 10, { 263, 263, 1027 }, { 1, 1, 4 }, 263, 2, 10, 0 },
};

enum { SETS = sizeof(sets) / sizeof(sets[0]) };

static struct gm_patterns *builtin(const char *name)
{
	const char *text = gm_patterns_builtin(name);

	return gm_patterns_read((const uint8_t *)text, strlen(text));
}

static void *built(const struct gm_engine *engine, const char *name, uint32_t diameter)
{
	struct gm_match_bounds bounds = { .diameter = diameter };
	struct gm_match_error error = { NULL, 0, 0 };
	struct gm_patterns *patterns = builtin(name);
	void *result = engine->build(patterns, &bounds, &error);

	CHECK(result != NULL);
	gm_patterns_free(patterns);
	return result;
}

static uint64_t counter(const struct gm_engine *engine, const void *automaton, const char *name)
{
	struct gm_counters counters = { { { NULL, 0 } }, 0 };

	engine->count(automaton, &counters);
	for (uint32_t i = 0; i < counters.count; i++) {
		if (strcmp(counters.counters[i].name, name) == 0)
			return counters.counters[i].value;
	}
	return UINT64_MAX;
}

static void states_are_those_published(void)
{
	for (int i = 0; i < SETS; i++) {
		void *dense = built(&gm_engine_dfa, sets[i].name, 0);

		CHECK(counter(&gm_engine_dfa, dense, "subset_states") == sets[i].subset);
		CHECK(counter(&gm_engine_dfa, dense, "states") == sets[i].minimal);
		gm_engine_dfa.free(dense);
	}
}

static void d2fa_counts_are_those_published(void)
{
	static const uint32_t diameters[] = { 0, 4, 2 };

	for (int i = 0; i < SETS; i++) {
		for (int j = 0; j < 3; j++) {
			void *d2fa = built(&gm_engine_d2fa, sets[i].name, diameters[j]);
			uint64_t labelled = counter(&gm_engine_d2fa, d2fa, "labelled_transitions");
			uint64_t trees = counter(&gm_engine_d2fa, d2fa, "trees");

			CHECK(labelled == sets[i].d2fa[j]);
			CHECK(trees == sets[i].trees[j]);
			printf("# %s D=%u: %u labelled, %u trees\n", sets[i].name, diameters[j],
			       (unsigned)labelled, (unsigned)trees);
			gm_engine_d2fa.free(d2fa);
		}
	}
}

static void adfa_counts_are_those_published(void)
{
	for (int i = 0; i < SETS; i++) {
		void *adfa = built(&gm_engine_adfa, sets[i].name, 0);

		CHECK(counter(&gm_engine_adfa, adfa, "labelled_transitions") == sets[i].adfa);
		CHECK(counter(&gm_engine_adfa, adfa, "longest_default_path") == sets[i].longest);
		gm_engine_adfa.free(adfa);
	}
}

static void hfa_counts_are_those_published(void)
{
	for (int i = 0; i < SETS; i++) {
		void *hfa = built(&gm_engine_hfa, sets[i].name, 0);

		CHECK(counter(&gm_engine_hfa, hfa, "head_states") == sets[i].head);
		CHECK(counter(&gm_engine_hfa, hfa, "tail_states") == sets[i].tail);
		gm_engine_hfa.free(hfa);
	}
}

/* Follows the defaults of each state and byte: the table's own target must come of it. */
static void check_defaults(const struct gm_engine *engine, const char *name, uint32_t diameter)
{
	struct gm_patterns *patterns = builtin(name);
	struct gm_match_bounds bounds = { 0 };
	struct gm_match_error error = { NULL, 0, 0 };
	struct gm_delayed *delayed = built(engine, name, diameter);
	struct gm_nfa nfa;
	struct gm_dfa dfa;
	uint32_t wrong = 0;

	CHECK(gm_nfa_build(&nfa, patterns, &bounds, &error) == GM_MATCH_OK);
	CHECK(gm_dfa_build(&dfa, &nfa, NULL, &bounds, &error) == GM_MATCH_OK);
	for (uint32_t state = 0; state < dfa.state_count; state++) {
		for (unsigned byte = 0; byte < 256; byte++)
			wrong += gm_delayed_next(delayed, state, (uint8_t)byte) !=
				 dfa.next[state * dfa.class_count + dfa.classes[byte]];
	}
	CHECK(wrong == 0);
	gm_dfa_free(&dfa);
	gm_nfa_free(&nfa);
	engine->free(delayed);
	gm_patterns_free(patterns);
}

static void defaults_lead_where_the_table_does(void)
{
	for (int i = 0; i < SETS; i++) {
		check_defaults(&gm_engine_adfa, sets[i].name, 0);
		for (uint32_t diameter = 0; diameter <= 8; diameter += 2)
			check_defaults(&gm_engine_d2fa, sets[i].name, diameter);
	}
}

static const struct test tests[] = {
	{ "subset construction and minimisation give the known counts",
	  states_are_those_published },
	{ "so does D2FA", d2fa_counts_are_those_published },
	{ "so does A-DFA", adfa_counts_are_those_published },
	{ "so does the hybrid automaton", hfa_counts_are_those_published },
	{ "defaults lead where the table does", defaults_lead_where_the_table_does },
};

TESTS_MAIN(tests)
