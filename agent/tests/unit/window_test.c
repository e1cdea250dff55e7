// SPDX-License-Identifier: Apache-2.0
#include "count/window.h"
#include "tests/test.h"

#include <stdbool.h>
#include <stdlib.h>

#define NUMBERS 300000

/* The slow reference: a flag for every number that there is. */
struct slow {
	int64_t highest;
	bool seen[NUMBERS];
};

static enum window_verdict slow_add(struct slow *slow, int64_t number)
{
	bool seen = slow->seen[number];

	if (slow->highest >= 0 && number <= slow->highest - WINDOW_NUMBERS)
		return WINDOW_STALE;
	slow->seen[number] = true;
	if (number > slow->highest) {
		slow->highest = number;
		return WINDOW_AHEAD;
	}
	return seen ? WINDOW_DUPLICATE : WINDOW_LATE;
}

/* Mostly in order, with steps ahead, returns within the window and just outside it. */
static void check_random(uint64_t seed, uint64_t spread, uint32_t first)
{
	struct slow *slow = calloc(1, sizeof(*slow));
	struct window window;
	uint64_t state = seed;
	int64_t front = 0;

	slow->highest = -1;
	window_begin(&window);
	while (front < NUMBERS) {
		int64_t back = (int64_t)(test_random(&state) % spread);
		int64_t number = test_random(&state) % 2 && front > back ? front - back : front;
		enum window_verdict verdict = window_add(&window, first + (uint32_t)number);

		CHECK_EQUAL(verdict, slow_add(slow, number));
		front += 1 + (int64_t)(test_random(&state) % 4 ? 0 : test_random(&state) % spread);
	}
	CHECK_EQUAL(window.highest, slow->highest + first);
	free(slow);
}

TEST(window_against_slow_reference)
{
	static const uint64_t spreads[] = { 2, 10, 70, 500, 4096, 4200, 9000 };

	for (uint64_t i = 0; i < sizeof(spreads) / sizeof(spreads[0]); i++) {
		check_random(i + 1, spreads[i], 0);
		/* The 32 bits on the wire wrap half-way. */
		check_random(i + 1, spreads[i], UINT32_MAX - NUMBERS / 2);
	}
}

TEST(window_edges)
{
	struct window window;

	window_begin(&window);
	CHECK_EQUAL(window.highest, -1);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_DUPLICATE);
	/* Below the first number there is nothing that could have been sent. */
	CHECK_EQUAL(window_add(&window, UINT32_MAX), WINDOW_STALE);
	CHECK_EQUAL(window_add(&window, WINDOW_NUMBERS), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_STALE);
	CHECK_EQUAL(window_add(&window, 1), WINDOW_LATE);
	CHECK_EQUAL(window_add(&window, 1), WINDOW_DUPLICATE);
	CHECK_EQUAL(window_add(&window, 10 * WINDOW_NUMBERS), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 10 * WINDOW_NUMBERS - 1), WINDOW_LATE);
}
