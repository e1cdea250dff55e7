// SPDX-License-Identifier: Apache-2.0
#include "count/sending.h"
#include "tests/test.h"
#include "time/clock.h"

#define MS NS_PER_MS

TEST(sending_goes_into_its_bins)
{
	struct sending sending;

	CHECK_EQUAL(sending_open(&sending, 30 * MS), 0);
	sending_begin(&sending, 100 * MS);
	sending_add(&sending, 99 * MS, 1, 0); /* before the first due time */
	sending_add(&sending, 110 * MS - 1, 2, 1);
	sending_add(&sending, 110 * MS, 4, 0);
	sending_add(&sending, 5000 * MS, 8, 8); /* after the last bin */
	CHECK_EQUAL(sending.bin[0].tried, 3);
	CHECK_EQUAL(sending.bin[0].refused, 1);
	CHECK_EQUAL(sending.bin[1].tried, 4);
	CHECK_EQUAL(sending.bin[sending.bins - 1].tried, 8);
	CHECK_EQUAL(sending.all.tried, 15);
	CHECK_EQUAL(sending.all.refused, 9);
	sending_close(&sending);
}

/* What is learnt at a look is spread over the time since the last one, and nothing is lost. */
TEST(sending_spreads_what_is_learnt_late)
{
	const struct sending_bin first = { 100, 10 }, second = { 1100, 10 };
	struct sending sending;

	CHECK_EQUAL(sending_open(&sending, 100 * MS), 0);
	sending_begin(&sending, 100 * MS);
	sending_spread(&sending, 90 * MS, 105 * MS, &first);
	CHECK_EQUAL(sending.bin[0].tried, 100);
	sending_spread(&sending, 105 * MS, 125 * MS, &second);
	CHECK_EQUAL(sending.bin[0].tried, 349);
	CHECK_EQUAL(sending.bin[1].tried, 500);
	CHECK_EQUAL(sending.bin[2].tried, 251);
	CHECK_EQUAL(sending.all.tried, 1100);
	CHECK_EQUAL(sending.all.refused, 10);
	sending_spread(&sending, 125 * MS, 125 * MS, &first); /* sums do not fall */
	CHECK_EQUAL(sending.all.tried, 1100);
	sending_spread(&sending, 125 * MS, 9000 * MS, &(struct sending_bin){ 1107, 17 });
	CHECK_EQUAL(sending.all.tried, 1107);
	CHECK_EQUAL(sending.all.refused, 17);
	sending_close(&sending);
}

TEST(sending_tells_without_trailing_zeros)
{
	struct line line = { .fd = -1 };
	struct sending sending;

	CHECK_EQUAL(sending_open(&sending, 90 * MS), 0);
	sending_begin(&sending, 100 * MS);
	sending_add(&sending, 100 * MS, 7, 0);
	sending_add(&sending, 125 * MS, 0, 2); /* nothing was tried there, but it is no end */
	sending_report(&sending, &line);
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"sending\":{\"t0_ns\":100000000,\"bin_ms\":10,"
				"\"tried\":[7,0,0],\"refused\":[0,0,2]}");
	sending_close(&sending);
}

TEST(sending_of_nothing_has_no_bins)
{
	struct line line = { .fd = -1 };
	struct sending sending;

	CHECK_EQUAL(sending_open(&sending, 10 * MS), 0);
	sending_report(&sending, &line);
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"sending\":{\"t0_ns\":0,\"bin_ms\":10,"
				"\"tried\":[],\"refused\":[]}");
	sending_close(&sending);
}
