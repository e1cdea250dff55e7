/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/lazy.h"
#include "tests/expressions.h"
#include "tests/test.h"

static struct expression_case given;

/* Scans with a cache of so many states; 0: of 2 MiB. */
static int finds(uint32_t states)
{
	const struct gm_match_bounds bounds = { 0 };
	struct gm_match_error error = { 0 };
	struct gm_lazy *lazy = gm_lazy_new(given.patterns, &bounds, states, &error);
	struct gm_result result;
	int equal;

	if (!lazy || gm_result_init(&result, given.records.count) != GM_MATCH_OK)
		return 0;
	equal = gm_lazy_scan(lazy, &given.records, &result) == GM_MATCH_OK &&
		expressions_equal(&given, &result);
	gm_result_free(&result);
	gm_lazy_free(lazy);
	return equal;
}

static void a_large_cache_finds_what_the_oracle_finds(void)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		expressions_make(&given, seed);
		CHECK(finds(0));
		expressions_free(&given);
	}
}

static void a_cache_of_three_states_finds_the_same(void)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		expressions_make(&given, seed);
		CHECK(finds(3));
		expressions_free(&given);
	}
}

/* 64 states are the least for records in turn: flushes with several states to keep. */
static void a_small_cache_with_records_in_turn_finds_the_same(void)
{
	for (uint64_t seed = 0; seed < 300; seed++) {
		expressions_make(&given, seed);
		CHECK(finds(64));
		expressions_free(&given);
	}
}

static void each_pattern_alone_says_where_it_matches(void)
{
	const struct gm_match_bounds bounds = { 0 };

	for (uint64_t seed = 0; seed < 100; seed++) {
		expressions_make(&given, seed);
		for (uint32_t id = 0; id < given.patterns->count; id++) {
			struct gm_match_error error = { 0 };
			struct gm_patterns *alone = gm_patterns_subset(given.patterns, &id, 1);
			struct gm_lazy *lazy = gm_lazy_new(alone, &bounds, 3, &error);

			for (uint32_t i = 0; i < given.records.count; i++) {
				const uint32_t *at = given.records.offsets + i;

				CHECK(gm_lazy_matches(lazy, given.records.bytes + at[0],
						      at[1] - at[0]) ==
				      expressions_match(&given, id, i));
			}
			gm_lazy_free(lazy);
			gm_patterns_free(alone);
		}
		expressions_free(&given);
	}
}

static const struct test tests[] = {
	{ "a large cache finds what the oracle finds", a_large_cache_finds_what_the_oracle_finds },
	{ "a cache of three states finds the same", a_cache_of_three_states_finds_the_same },
	{ "a small cache with records in turn finds the same",
	  a_small_cache_with_records_in_turn_finds_the_same },
	{ "each pattern alone says where it matches", each_pattern_alone_says_where_it_matches },
};

TESTS_MAIN(tests)
