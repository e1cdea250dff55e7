/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/literals.h"
#include "tests/literals.h"
#include "tests/test.h"

static struct literal_case given;
static struct gm_pair found_pairs[CASE_PAIRS];

/* 1 if all is matches, or if the processor lacks what the path needs. */
static int impl_finds(enum gm_literals_impl impl)
{
	struct gm_pairs matches = { found_pairs, CASE_PAIRS, 0 };
	struct gm_literals *literals = gm_literals_new(given.literals, given.literal_count, impl);
	int equal;

	if (!literals)
		return impl == GM_LITERALS_AVX2 || impl == GM_LITERALS_AVX512;
	gm_literals_scan(literals, &given.records, &matches);
	gm_pairs_sort(&matches);
	equal = pairs_equal(&matches, &given.expected);
	gm_literals_free(literals);
	return equal;
}

static void impl_is_equal(enum gm_literals_impl impl)
{
	for (uint64_t seed = 0; seed < 60; seed++) {
		for (int shape = 0; shape < LITERAL_SHAPES; shape++) {
			case_make(&given, &literal_shapes[shape], seed * 100 + (uint64_t)shape);
			CHECK(impl_finds(impl));
			free(given.text);
		}
	}
}

static void portable_finds_what_a_plain_search_finds(void)
{
	impl_is_equal(GM_LITERALS_PORTABLE);
}

static void auto_finds_what_a_plain_search_finds(void)
{
	impl_is_equal(GM_LITERALS_AUTO);
}

static void avx2_finds_what_a_plain_search_finds(void)
{
	impl_is_equal(GM_LITERALS_AVX2);
}

static void avx512_finds_what_a_plain_search_finds(void)
{
	impl_is_equal(GM_LITERALS_AVX512);
}

static void filter_finds_what_a_plain_search_finds(void)
{
	impl_is_equal(GM_LITERALS_FILTER);
	impl_is_equal(GM_LITERALS_FILTER_PORTABLE);
}

/* A literal at each place of records of each length, at each alignment in memory. */
static void every_place_and_alignment_is_found(enum gm_literals_impl impl)
{
	const struct gm_literal needle = { (const uint8_t *)"needle", 6, 0, 0 };
	struct gm_literals *literals = gm_literals_new(&needle, 1, impl);

	for (uint32_t length = 6; literals && length < 100; length++) {
		for (uint32_t place = 0; place + 6 <= length; place++) {
			uint32_t shift = (length + place) % 8;
			uint32_t starts[2] = { shift, shift + length };
			uint8_t *text = malloc(shift + length);
			struct gm_records records = { .bytes = text,
						      .offsets = starts,
						      .count = 1 };
			struct gm_pairs matches = { found_pairs, CASE_PAIRS, 0 };

			memset(text, 'n', shift + length);
			memcpy(text + shift + place, "needle", 6);
			gm_literals_scan(literals, &records, &matches);
			CHECK(matches.count == 1);
			free(text);
		}
	}
	gm_literals_free(literals);
}

static void places_and_alignments(void)
{
	for (int impl = GM_LITERALS_AUTO; impl <= GM_LITERALS_FILTER_PORTABLE; impl++)
		every_place_and_alignment_is_found((enum gm_literals_impl)impl);
}

static void a_long_literal_beside_the_record_end_is_not_read(void)
{
	const struct gm_literal longer = { (const uint8_t *)"abcdefghijklmnop", 16, 0, 0 };
	struct gm_literals *literals = gm_literals_new(&longer, 1, GM_LITERALS_PORTABLE);
	uint32_t starts[] = { 0, 15 };
	uint8_t *text = malloc(15);
	struct gm_records records = { .bytes = text, .offsets = starts, .count = 1 };
	struct gm_pairs matches = { found_pairs, CASE_PAIRS, 0 };

	memcpy(text, longer.bytes, 15);
	gm_literals_scan(literals, &records, &matches);
	CHECK(matches.count == 0);
	free(text);
	gm_literals_free(literals);
}

static const struct test tests[] = {
	{ "the portable path finds what a plain search finds",
	  portable_finds_what_a_plain_search_finds },
	{ "the chosen path finds what a plain search finds", auto_finds_what_a_plain_search_finds },
	{ "the AVX2 path finds what a plain search finds", avx2_finds_what_a_plain_search_finds },
	{ "the AVX-512 path finds what a plain search finds",
	  avx512_finds_what_a_plain_search_finds },
	{ "the filter finds what a plain search finds", filter_finds_what_a_plain_search_finds },
	{ "a literal is found at every place and alignment", places_and_alignments },
	{ "a literal that ends beyond the record is not read",
	  a_long_literal_beside_the_record_end_is_not_read },
};

TESTS_MAIN(tests)
