/* SPDX-License-Identifier: Apache-2.0 */
/* What the platform's kernels do, not how long they take. */
#include "gm/platform.h"
#include "platform/plateau.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 1000, CELLS = 257 };

static void stream_rounds_give_what_scalars_give(void)
{
	static double a[ELEMENTS], b[ELEMENTS], c[ELEMENTS];
	const struct gm_stream_arrays arrays = { a, b, c, ELEMENTS };

	gm_stream_init(&arrays);
	CHECK(a[ELEMENTS - 1] == 2 && b[0] == 2 && c[0] == 0);
	for (int round = 0; round < 10; round++) {
		gm_stream_pass(&arrays, GM_STREAM_COPY);
		gm_stream_pass(&arrays, GM_STREAM_SCALE);
		gm_stream_pass(&arrays, GM_STREAM_ADD);
		gm_stream_pass(&arrays, GM_STREAM_TRIAD);
	}
	CHECK(gm_stream_error(&arrays, 10) <= 1e-13);
	CHECK(gm_stream_error(&arrays, 9) > 1);
	b[ELEMENTS - 1] *= 1.001;
	CHECK(gm_stream_error(&arrays, 10) > 1e-4);
}

static void a_chase_visits_every_cell_once(void)
{
	for (uint32_t stride = 1; stride <= 16; stride += 15) {
		uint32_t *words = malloc(sizeof(*words) * CELLS * stride);
		uint8_t seen[CELLS] = { 0 };
		uint32_t at = 0;

		gm_chase_init(words, CELLS, stride, 7);
		for (int i = 0; i < CELLS; i++) {
			at = gm_chase(words, at, 1);
			CHECK(at % stride == 0 && at / stride < CELLS && !seen[at / stride]);
			seen[at / stride] = 1;
		}
		CHECK(at == 0);
		CHECK(gm_chase(words, 0, 2 * CELLS) == 0);
		CHECK(gm_chase(words, gm_chase(words, 0, 11), CELLS - 11) == 0);
		free(words);
	}
}

static void one_cell_is_a_cycle(void)
{
	uint32_t word = 9;

	gm_chase_init(&word, 1, 1, 7);
	CHECK(gm_chase(&word, 0, 9) == 0);
}

static void the_chain_does_all_its_steps(void)
{
	uint32_t x = 5;

	for (int i = 0; i < 3 * GM_CLOCK_STEPS; i++)
		x = (x + 77) ^ 0x5bd1e995;
	CHECK(gm_clock_chain(5, 77, 0x5bd1e995, 3) == x);
	CHECK(gm_clock_chain(5, 77, 1, 0) == 5);
}

static void words_are_copied_and_summed(void)
{
	uint32_t from[5] = { 1, 2, 3, UINT32_MAX, 5 }, to[5] = { 0 };

	gm_copy_u32(from, to, 4);
	CHECK(memcmp(from, to, 4 * sizeof(*from)) == 0 && to[4] == 0);
	CHECK(gm_read_sum(from, 5) == 10);
}

static void words_that_were_not_copied_are_counted(void)
{
	uint32_t from[5], to[5] = { 0 };

	memset(from, 0x55, sizeof(from));
	gm_copy_u32_init(from, 5);
	CHECK(gm_copy_u32_errors(to, 5) == 5);
	gm_copy_u32(from, to, 3);
	CHECK(gm_copy_u32_errors(to, 5) == 2);
	memset(to, 0x55, sizeof(to));
	CHECK(gm_copy_u32_errors(to, 5) == 5);
	gm_copy_u32(from, to, 5);
	CHECK(gm_copy_u32_errors(to, 5) == 0);
}

/* Latencies of three levels with some noise, two sizes an octave. */
static void plateaus_are_found(void)
{
	static const double ns[] = { 1.00, 1.01, 1.00, 1.02, 1.01, 2.5, 4.00, 4.03,
				     4.02, 4.01, 4.05, 9,    20,   41,	80,   80.5 };
	static struct gm_plateaus plateaus;
	uint64_t bytes = 1024;

	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++) {
		gm_plateaus_add(&plateaus, i % 2 ? bytes + bytes / 2 : bytes, ns[i]);
		bytes *= i % 2 ? 2 : 1;
	}
	gm_plateaus_find(&plateaus);
	CHECK(plateaus.levels == 2);
	CHECK(plateaus.level_ns[0] == 1.00 && plateaus.level_ns[1] == 4.00);
	CHECK(plateaus.level_bytes[0] <= 4096 && plateaus.level_bytes[1] <= 32768);
}

static void nothing_has_no_plateau(void)
{
	static struct gm_plateaus plateaus;

	gm_plateaus_find(&plateaus);
	CHECK(plateaus.levels == 0);
	for (uint32_t i = 1; i < 2 * GM_PLATEAU_POINTS; i++)
		gm_plateaus_add(&plateaus, 1024U * i, 1);
	gm_plateaus_find(&plateaus);
	CHECK(plateaus.count == GM_PLATEAU_POINTS && plateaus.levels == 1);
}

static const struct test tests[] = {
	{ "rounds of STREAM give what scalars give", stream_rounds_give_what_scalars_give },
	{ "a chase visits every cell once", a_chase_visits_every_cell_once },
	{ "one cell is a cycle", one_cell_is_a_cycle },
	{ "the chain does all its steps", the_chain_does_all_its_steps },
	{ "words are copied and summed", words_are_copied_and_summed },
	{ "words that were not copied are counted", words_that_were_not_copied_are_counted },
	{ "plateaus are found", plateaus_are_found },
	{ "nothing has no plateau", nothing_has_no_plateau },
};

TESTS_MAIN(tests)
