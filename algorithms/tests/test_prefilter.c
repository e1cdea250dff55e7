/* SPDX-License-Identifier: Apache-2.0 */
#include "literal/required.h"
#include "match/engines.h"
#include "tests/expressions.h"
#include "tests/test.h"

static struct expression_case given;

static int finds(const struct gm_engine *engine, int scans)
{
	const struct gm_match_bounds bounds = { 0 };
	struct gm_match_error error = { 0 };
	void *built = engine->build(given.patterns, &bounds, &error);
	struct gm_result result;
	int equal = 1;

	if (!built || gm_result_init(&result, given.records.count) != GM_MATCH_OK)
		return 0;
	for (int i = 0; i < scans; i++) {
		gm_result_clear(&result);
		equal &= engine->scan(built, &given.records, &result) == GM_MATCH_OK &&
			 expressions_equal(&given, &result);
	}
	gm_result_free(&result);
	engine->free(built);
	return equal;
}

static void it_finds_what_the_oracle_finds(void)
{
	for (uint64_t seed = 0; seed < 600; seed++) {
		expressions_make(&given, seed);
		CHECK(finds(&gm_engine_pre, 1 + (int)(seed % 2)));
		expressions_free(&given);
	}
}

static void sort_case(const char *patterns)
{
	struct gm_random random = { 5 };

	given.patterns = gm_patterns_read((const uint8_t *)patterns, strlen(patterns));
	records_make(&given, &random);
}

static void aho_corasick_takes_strings(void)
{
	sort_case("ab\ncab|b\\x00\n/bC/i\ncontent:\"aa|0a|\"\na{3}b\n[ab]c\n");
	CHECK(finds(&gm_engine_ac, 2));
	CHECK(finds(&gm_engine_ac_compact, 2));
	expressions_free(&given);
}

static void aho_corasick_refuses_the_line_that_is_no_string(void)
{
	const struct gm_match_bounds bounds = { 0 };
	struct gm_match_error error = { 0 };

	sort_case("ab\nab*\n");
	CHECK(gm_engine_ac.build(given.patterns, &bounds, &error) == NULL);
	CHECK(error.line == 2);
	expressions_free(&given);
}

static void required(const char *pattern, struct gm_required *strings)
{
	struct gm_patterns *patterns = gm_patterns_read((const uint8_t *)pattern, strlen(pattern));

	gm_required_of(patterns->forest, patterns->patterns[0].root, strings);
	gm_patterns_free(patterns);
}

static void the_longest_needed_strings_are_taken(void)
{
	struct gm_required strings;

	required("ab.*needle[0-9]+cd", &strings);
	CHECK(strings.best.count == 1 && strings.best.strings[0].length == 6);
	CHECK(strings.exact.count == 0);
	required("x(left|right)*(first|second)?", &strings);
	CHECK(strings.best.count == 1 && strings.best.strings[0].length == 1);
	required("[0-9](left|right)+", &strings);
	CHECK(strings.best.count == 2 && gm_strings_shortest(&strings.best) == 4);
	required("/get/i", &strings);
	CHECK(strings.exact.count == 1 && strings.exact.strings[0].nocase && !strings.loose);
	required("^get$", &strings);
	CHECK(strings.loose);
	required("[ab]{2}", &strings);
	CHECK(strings.exact.count == 4);
	required("[a-z]*", &strings);
	CHECK(strings.best.count == 0);
}

static const struct test tests[] = {
	{ "it finds what the oracle finds", it_finds_what_the_oracle_finds },
	{ "Aho-Corasick takes strings", aho_corasick_takes_strings },
	{ "Aho-Corasick refuses the line that is no string",
	  aho_corasick_refuses_the_line_that_is_no_string },
	{ "the longest needed strings are taken", the_longest_needed_strings_are_taken },
};

TESTS_MAIN(tests)
