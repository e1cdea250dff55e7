// SPDX-License-Identifier: Apache-2.0
#include "count/bins.h"
#include "tests/test.h"
#include "time/clock.h"

#include <errno.h>

TEST(bins_take_each_amount_once)
{
	struct bins bins;

	CHECK_EQUAL(bins_open(&bins, 3, 10), 0);
	bins.t0_ns = 100;
	bins_add(&bins, 90, 1); /* before */
	bins_add(&bins, 100, 2);
	bins_add(&bins, 109, 4);
	bins_add(&bins, 110, 8);
	bins_add(&bins, 129, 1ull << 40);
	bins_add(&bins, 130, 16); /* after */
	bins_add(&bins, UINT64_MAX, 32);
	CHECK_EQUAL(bins.amount[0], 7);
	CHECK_EQUAL(bins.amount[1], 8);
	CHECK_EQUAL(bins.amount[2], (1ll << 40) + 48);
	bins_close(&bins);
}

TEST(bins_tell_without_trailing_zeros)
{
	struct line line = { .fd = -1 };
	struct bins bins;

	CHECK_EQUAL(bins_open(&bins, 9, 2 * NS_PER_MS), 0);
	bins_add(&bins, 2 * NS_PER_MS, 5);
	bins_report(&bins, &line, "rate", "bytes");
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"rate\":{\"t0_ns\":0,\"bin_ms\":2,\"bytes\":[0,5]}");
	bins_close(&bins);
}

TEST(bins_beyond_memory)
{
	struct bins bins;

	CHECK_EQUAL(bins_open(&bins, SIZE_MAX / 4, 1), -ENOMEM);
	bins_close(&bins);
}
