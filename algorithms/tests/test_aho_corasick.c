/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/aho_corasick.h"
#include "tests/literals.h"
#include "tests/test.h"

static struct literal_case given;
static struct gm_pair found_pairs[CASE_PAIRS];

static int form_finds(enum gm_ac_form form, uint32_t scans)
{
	struct gm_pairs matches = { found_pairs, CASE_PAIRS, 0 };
	struct gm_ac *ac = gm_ac_new(given.literals, given.literal_count, form);
	int equal = ac != NULL;

	for (uint32_t i = 0; i < scans && equal; i++) {
		matches.count = 0;
		gm_ac_scan(ac, &given.records, &matches);
		gm_pairs_sort(&matches);
		equal = pairs_equal(&matches, &given.expected);
	}
	gm_ac_free(ac);
	return equal;
}

static void both_forms_find_what_a_plain_search_finds(void)
{
	for (uint64_t seed = 0; seed < 40; seed++) {
		for (int shape = 0; shape < LITERAL_SHAPES; shape++) {
			case_make(&given, &literal_shapes[shape], seed * 100 + (uint64_t)shape);
			CHECK(form_finds(GM_AC_DENSE, 1));
			CHECK(form_finds(GM_AC_COMPACT, 1));
			free(given.text);
		}
	}
}

static void a_second_scan_finds_the_same(void)
{
	case_make(&given, &literal_shapes[1], 7);
	CHECK(form_finds(GM_AC_DENSE, 3));
	CHECK(form_finds(GM_AC_COMPACT, 3));
	free(given.text);
}

static void states_are_those_of_the_textbook(void)
{
	const struct gm_literal literals[] = {
		{ (const uint8_t *)"he", 2, 0, 0 },
		{ (const uint8_t *)"she", 3, 1, 0 },
		{ (const uint8_t *)"his", 3, 2, 0 },
		{ (const uint8_t *)"hers", 4, 3, 0 },
	};
	struct gm_ac *ac = gm_ac_new(literals, 4, GM_AC_DENSE);

	CHECK(gm_ac_counts(ac).states == 10);
	CHECK(gm_ac_counts(ac).classes == 6);
	gm_ac_free(ac);
}

/* More than 65 536 states: cells of 32 bits. */
static void large_sets_are_found(void)
{
	enum { COUNT = 9000, LENGTH = 12 };
	struct gm_literal *literals = malloc(COUNT * sizeof(*literals));
	uint8_t *bytes = malloc((size_t)COUNT * LENGTH);
	uint32_t starts[] = { 0, COUNT * LENGTH / 2, COUNT * LENGTH };
	struct gm_records records = { .bytes = bytes, .offsets = starts, .count = 2 };
	struct gm_random random = { 3 };

	for (uint32_t i = 0; i < COUNT; i++) {
		for (uint32_t j = 0; j < LENGTH; j++)
			bytes[i * LENGTH + j] = (uint8_t)gm_random_below(&random, 256);
		literals[i].bytes = bytes + i * LENGTH;
		literals[i].length = LENGTH;
		literals[i].id = i;
		literals[i].nocase = 0;
	}
	for (int form = GM_AC_DENSE; form <= GM_AC_COMPACT; form++) {
		struct gm_pair *pairs = malloc(COUNT * sizeof(*pairs));
		struct gm_pairs matches = { pairs, COUNT, 0 };
		struct gm_ac *ac = gm_ac_new(literals, COUNT, (enum gm_ac_form)form);

		gm_ac_scan(ac, &records, &matches);
		CHECK(matches.count == COUNT);
		CHECK(gm_ac_counts(ac).states > 65536);
		gm_ac_free(ac);
		free(pairs);
	}
	free(bytes);
	free(literals);
}

static void an_empty_literal_is_refused(void)
{
	const struct gm_literal empty = { (const uint8_t *)"", 0, 0, 0 };

	CHECK(gm_ac_new(&empty, 1, GM_AC_DENSE) == NULL);
}

static void the_digest_is_of_counts_and_ids(void)
{
	struct gm_pair pairs[] = { { 2, 7 }, { 0, 3 } };
	struct gm_pairs matches = { pairs, 2, 2 };
	const uint8_t bytes[] = { 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0 };
	uint64_t expected = UINT64_C(0xcbf29ce484222325);

	for (uint32_t i = 0; i < sizeof(bytes); i++)
		expected = (expected ^ bytes[i]) * UINT64_C(0x100000001b3);
	gm_pairs_sort(&matches);
	CHECK(gm_pairs_digest(&matches, 3) == expected);
}

static const struct test tests[] = {
	{ "both forms find what a plain search finds", both_forms_find_what_a_plain_search_finds },
	{ "a second scan finds the same", a_second_scan_finds_the_same },
	{ "states are those of the textbook", states_are_those_of_the_textbook },
	{ "large sets are matches", large_sets_are_found },
	{ "an empty literal is refused", an_empty_literal_is_refused },
	{ "the digest is of counts and ids", the_digest_is_of_counts_and_ids },
};

TESTS_MAIN(tests)
