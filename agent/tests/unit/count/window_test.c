// SPDX-License-Identifier: Apache-2.0
#include "count/window.h"
#include "tests/test.h"

#include <stdbool.h>
#include <stdlib.h>

#define NUMBERS 300000

/* The slow reference: a flag for every number that there is. */
struct slow {
	int64_t highest, leap;
	bool seen[NUMBERS];
};

static void slow_take(struct slow *slow, int64_t number)
{
	slow->seen[number] = true;
	slow->highest = number > slow->highest ? number : slow->highest;
}

static enum window_verdict slow_add(struct slow *slow, int64_t number)
{
	bool seen = slow->seen[number];
	int64_t leap = slow->leap;

	slow->leap = -1;
	if (number > slow->highest + WINDOW_LEAP && leap < 0) {
		slow->leap = number;
		return WINDOW_AHEAD;
	}
	if (number > slow->highest + WINDOW_LEAP) {
		slow_take(slow, leap < number ? leap : number);
		if (leap + number - slow->highest > slow->highest + WINDOW_LEAP)
			slow->leap = leap + number - slow->highest;
		else
			slow_take(slow, leap + number - slow->highest);
		return leap == number ? WINDOW_DUPLICATE : WINDOW_AHEAD;
	}

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

	slow->highest = slow->leap = -1;
	window_begin(&window);
	/* Where numbers begin is known in the first of them. */
	if (first)
		CHECK_EQUAL(window_add(&window, first - 1), WINDOW_AHEAD);
	if (first)
		CHECK_EQUAL(window_add(&window, first - 1), WINDOW_DUPLICATE);
	while (front < NUMBERS) {
		int64_t back = (int64_t)(test_random(&state) % spread);
		int64_t number = test_random(&state) % 2 && front > back ? front - back : front;
		enum window_verdict verdict = window_add(&window, first + (uint32_t)number);

		CHECK_EQUAL(verdict, slow_add(slow, number));
		front += 1 + (int64_t)(test_random(&state) % 4 ? 0 : test_random(&state) % spread);
	}
	CHECK_EQUAL(window.highest, (int64_t)first + slow->highest);
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
	CHECK_EQUAL(window_add(&window, WINDOW_LEAP), WINDOW_AHEAD);
	CHECK_EQUAL(window.highest, WINDOW_LEAP);
	CHECK_EQUAL(window_add(&window, WINDOW_NUMBERS), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, WINDOW_NUMBERS - 1), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_STALE);
	CHECK_EQUAL(window_add(&window, 1), WINDOW_LATE);
	CHECK_EQUAL(window_add(&window, 1), WINDOW_DUPLICATE);
	CHECK_EQUAL(window_add(&window, 10 * WINDOW_NUMBERS), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 10 * WINDOW_NUMBERS + 1), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 10 * WINDOW_NUMBERS - 1), WINDOW_LATE);
}

/* A stray number is one packet of ours too many; it takes none of the good ones with it. */
TEST(window_stays_where_one_number_leaps)
{
	static const uint32_t strays[] = { 0x40000000, 0x7fffffff, 100000, 1200 + WINDOW_LEAP };

	for (size_t i = 0; i < sizeof(strays) / sizeof(*strays); i++) {
		unsigned int ahead = 0;
		struct window window;

		window_begin(&window);
		for (uint32_t number = 0; number < 100000; number++) {
			if (number == 1000)
				CHECK_EQUAL(window_add(&window, strays[i]), WINDOW_AHEAD);
			ahead += window_add(&window, number) == WINDOW_AHEAD;
		}
		CHECK_EQUAL(ahead, 100000);
		CHECK_EQUAL(window.highest, 99999);
	}
}

TEST(window_stays_where_the_first_number_is_a_stray)
{
	struct window window;

	window_begin(&window);
	CHECK_EQUAL(window_add(&window, 0x40000000), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 1), WINDOW_AHEAD);
	CHECK_EQUAL(window.highest, 1);
}

/* Where a gateway stood still, the next number leaps as well. */
TEST(window_follows_two_numbers_that_leap)
{
	struct window window;

	window_begin(&window);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 50001), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 50000), WINDOW_AHEAD);
	CHECK_EQUAL(window.highest, 50001);
	CHECK_EQUAL(window_add(&window, 50001), WINDOW_DUPLICATE);
	CHECK_EQUAL(window_add(&window, 50000), WINDOW_DUPLICATE);
	CHECK_EQUAL(window_add(&window, 1), WINDOW_STALE);
	/* Twice the same. */
	CHECK_EQUAL(window_add(&window, 90000), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 90000), WINDOW_DUPLICATE);
	CHECK_EQUAL(window.highest, 90000);
	/* So few that all of them leap: the highest is one behind. */
	CHECK_EQUAL(window_add(&window, 100000), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 110000), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 120000), WINDOW_AHEAD);
	CHECK_EQUAL(window.highest, 110000);
}

/* Of a stray and a number of ours that both leap, the lower is followed. */
TEST(window_follows_the_lower_of_two_that_leap)
{
	struct window window;

	window_begin(&window);
	CHECK_EQUAL(window_add(&window, 0), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 0x40000000), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 5000), WINDOW_AHEAD);
	CHECK_EQUAL(window_add(&window, 5001), WINDOW_AHEAD);
	CHECK_EQUAL(window.highest, 5001);
}
