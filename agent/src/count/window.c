// SPDX-License-Identifier: Apache-2.0
/* Duplicate and reordering window. */
#include "count/window.h"
#include "bpf/wraps.h"

#include <stdbool.h>
#include <string.h>

#define WORD_BITS 64

static uint64_t *word_of(struct window *window, uint64_t number)
{
	return &window->seen[number % WINDOW_NUMBERS / WORD_BITS];
}

static uint64_t bit_of(uint64_t number)
{
	return 1ull << number % WORD_BITS;
}

/* Forgets the numbers from (inclusive) to (exclusive), fewer than WINDOW_NUMBERS. */
static void forget(struct window *window, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t ends = (from | (WORD_BITS - 1)) + 1; /* where the next word begins */
		uint64_t kept = bit_of(from) - 1; /* below from */

		if (ends > to) {
			kept |= ~(bit_of(to) - 1); /* from to on */
			ends = to;
		}
		*word_of(window, from) &= kept;
		from = ends;
	}
}

static void advance(struct window *window, int64_t number)
{
	if (number - window->highest >= WINDOW_NUMBERS)
		memset(window->seen, 0, sizeof(window->seen));
	else
		forget(window, (uint64_t)(window->highest + 1), (uint64_t)number);
	*word_of(window, (uint64_t)number) |= bit_of((uint64_t)number);
	window->highest = number;
}

void window_begin(struct window *window)
{
	memset(window, 0, sizeof(*window));
	window->highest = -1;
	window->leap = -1;
}

static bool leaps(const struct window *window, int64_t number)
{
	return number - window->highest > WINDOW_LEAP;
}

/* Keeps a number that leaps, and goes on to the lower of two in a row: that one is no stray. */
static enum window_verdict leap(struct window *window, int64_t number)
{
	int64_t other = window->leap;
	int64_t lower = number < other ? number : other;
	int64_t higher = number < other ? other : number;

	if (other < 0) {
		window->leap = number;
		return WINDOW_AHEAD;
	}
	advance(window, lower);
	window->leap = -1;
	if (leaps(window, higher))
		window->leap = higher;
	else if (higher > lower)
		advance(window, higher);
	return higher == lower ? WINDOW_DUPLICATE : WINDOW_AHEAD;
}

WRAPS enum window_verdict window_add(struct window *window, uint32_t sequence)
{
	/* Serial number arithmetic (RFC 1982): the nearest number with these low 32 bits. */
	int32_t ahead = (int32_t)(sequence - (uint32_t)window->highest);
	int64_t number = window->highest + ahead;
	bool seen;

	if (window->highest < 0)
		number = sequence;
	if (leaps(window, number))
		return leap(window, number);
	window->leap = -1;
	if (number > window->highest) {
		advance(window, number);
		return WINDOW_AHEAD;
	}
	if (number < 0 || window->highest - number >= WINDOW_NUMBERS)
		return WINDOW_STALE;
	seen = *word_of(window, (uint64_t)number) & bit_of((uint64_t)number);
	*word_of(window, (uint64_t)number) |= bit_of((uint64_t)number);
	return seen ? WINDOW_DUPLICATE : WINDOW_LATE;
}
