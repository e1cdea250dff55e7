// SPDX-License-Identifier: Apache-2.0
/* What the program in the kernel computes, against the same of this side. */
#include "bpf/sink.h"
#include "count/histogram.h"
#include "count/window.h"
#include "tests/test.h"

TEST(sink_buckets_are_the_histograms)
{
	uint64_t state = 5;

	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++) {
		CHECK_EQUAL(sink_bucket(histogram_low(i)), i);
		if (i)
			CHECK_EQUAL(sink_bucket(histogram_low(i) - 1), i - 1);
	}
	CHECK_EQUAL(sink_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	for (int i = 0; i < 20000; i++) {
		uint64_t value = test_random(&state) >> (test_random(&state) % 64);

		CHECK_EQUAL(sink_bucket(value), histogram_bucket(value));
	}
}

/* The verdict of the larger window, if the number is not too old for the smaller one. */
static enum sink_verdict expected(struct window *oracle, uint32_t sequence)
{
	int64_t before = oracle->highest;
	enum window_verdict verdict = window_add(oracle, sequence);
	int32_t back = (int32_t)((uint32_t)before - sequence);

	if (verdict == WINDOW_AHEAD)
		return SINK_AHEAD;
	if (verdict == WINDOW_DUPLICATE && (before < 0 || back < 0)) /* of one that leapt */
		return SINK_DUPLICATE;
	if (verdict == WINDOW_STALE || back >= SINK_WINDOW)
		return SINK_STALE;
	return verdict == WINDOW_LATE ? SINK_LATE : SINK_DUPLICATE;
}

/* Numbers around a highest one that goes on by steps of 1 to `stride`, from `first` on. */
static void compare(uint32_t first, uint32_t stride)
{
	struct sink_flow flow = { 0 };
	struct window oracle;
	uint64_t state = first | stride | 1;
	uint32_t highest = first;

	window_begin(&oracle);
	for (int i = 0; i < 2; i++) /* the first may leap */
		CHECK_EQUAL(sink_window_add(&flow, first), expected(&oracle, first));
	for (int i = 0; i < 20000; i++) {
		uint32_t back = (uint32_t)(test_random(&state) % (2 * SINK_WINDOW_BITS));
		uint32_t sequence = highest - back;

		if (i % 2)
			sequence = highest += 1 + (uint32_t)(test_random(&state) % stride);
		CHECK_EQUAL(sink_window_add(&flow, sequence), expected(&oracle, sequence));
		CHECK_EQUAL((int64_t)flow.next - 1, oracle.highest);
	}
}

TEST(sink_window_is_the_windows)
{
	compare(0, 1);
	compare(5000, 3);
	compare(70, 100);
	compare(1, 3000); /* also past the whole window */
	compare(UINT32_MAX - 2000, 7); /* over the end of 32 bits */
}

TEST(sink_window_has_its_width)
{
	struct sink_flow flow = { 0 };

	CHECK_EQUAL(sink_window_add(&flow, 5000), SINK_AHEAD);
	CHECK_EQUAL(sink_window_add(&flow, 5000), SINK_DUPLICATE);
	CHECK_EQUAL(sink_window_add(&flow, 5000 - SINK_WINDOW + 1), SINK_LATE);
	CHECK_EQUAL(sink_window_add(&flow, 5000 - SINK_WINDOW + 1), SINK_DUPLICATE);
	CHECK_EQUAL(sink_window_add(&flow, 5000 - SINK_WINDOW), SINK_STALE);
}

/* The ledger knows what the window has forgotten, and changes nothing else. */
TEST(sink_ledger_is_the_accounts)
{
	uint64_t word = 0;

	CHECK_EQUAL(sink_ledger_add((__u64 *)&word, 64 + 3, SINK_AHEAD), SINK_AHEAD);
	CHECK_EQUAL(word, 8);
	CHECK_EQUAL(sink_ledger_add((__u64 *)&word, 64 + 3, SINK_STALE), SINK_DUPLICATE);
	CHECK_EQUAL(sink_ledger_add((__u64 *)&word, 64 + 3, SINK_AHEAD), SINK_DUPLICATE);
	CHECK_EQUAL(sink_ledger_add((__u64 *)&word, 64 + 3, SINK_DUPLICATE), SINK_DUPLICATE);
	CHECK_EQUAL(sink_ledger_add((__u64 *)&word, 64 + 63, SINK_STALE), SINK_LATE);
	CHECK_EQUAL(word, 1ull << 63 | 8);
}

TEST(sink_log2_is_the_highest_bit)
{
	CHECK_EQUAL(sink_log2(0), 0);
	for (uint32_t bit = 0; bit < 32; bit++) {
		CHECK_EQUAL(sink_log2(1u << bit), bit);
		CHECK_EQUAL(sink_log2((1u << bit) + ((1u << bit) - 1)), bit);
	}
}
