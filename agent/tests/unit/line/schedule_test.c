// SPDX-License-Identifier: Apache-2.0
#include "line/schedule.h"
#include "tests/test.h"

#define MBIT 1000000ull
#define MS 1000000ull

/* 1000 bytes take 8 ms at 1 Mbit/s. */
static struct schedule_options plain(void)
{
	return (struct schedule_options){ .rate_bps = MBIT,
					  .buffer_packets = 2,
					  .frame_most = 1514 };
}

static void open(struct schedule *schedule, struct schedule_options options)
{
	CHECK_EQUAL(schedule_open(schedule, &options, 64), 0);
}

/* What becomes of the oldest, and when; it is taken out. */
static void check_next(struct schedule *schedule, uint64_t place, enum fate fate, uint64_t at_ns)
{
	const struct slot *slot = schedule_take(schedule, SCHEDULE_NEVER - 1);

	CHECK(slot);
	if (!slot)
		return;
	CHECK_EQUAL(slot->place, place);
	CHECK_EQUAL(slot->fate, fate);
	CHECK_EQUAL(slot->leaves_ns, at_ns);
	schedule_release(schedule);
}

TEST(schedule_serialises_a_lone_frame)
{
	struct schedule schedule;

	open(&schedule, plain());
	CHECK_EQUAL(schedule_next(&schedule), SCHEDULE_NEVER);
	CHECK(schedule_arrive(&schedule, 5 * MS, 1000, 0));
	CHECK_EQUAL(schedule_next(&schedule), 13 * MS);
	CHECK(!schedule_take(&schedule, 13 * MS - 1));
	check_next(&schedule, 0, FATE_LEAVES, 13 * MS);
	schedule_close(&schedule);
}

TEST(schedule_counts_those_that_wait)
{
	struct schedule schedule;

	open(&schedule, plain());
	for (uint64_t i = 0; i < 3; i++) /* one in service, two wait */
		CHECK(schedule_arrive(&schedule, 0, 1000, i));
	CHECK_EQUAL(schedule_waiting(&schedule), 2);
	CHECK(!schedule_arrive(&schedule, 8 * MS - 1, 1000, 9));
	CHECK(schedule_arrive(&schedule, 8 * MS, 1000, 3)); /* s_1 is 8 ms: not later */
	check_next(&schedule, 0, FATE_LEAVES, 8 * MS);
	check_next(&schedule, 1, FATE_LEAVES, 16 * MS);
	check_next(&schedule, 2, FATE_LEAVES, 24 * MS);
	check_next(&schedule, 3, FATE_LEAVES, 32 * MS);
	schedule_close(&schedule);
}

TEST(schedule_counts_bytes)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.buffer_packets = 0;
	options.buffer_bytes = 1500;
	open(&schedule, options);
	CHECK(schedule_arrive(&schedule, 0, 1000, 0));
	CHECK(schedule_arrive(&schedule, 0, 1000, 1));
	CHECK(!schedule_arrive(&schedule, 0, 501, 9));
	CHECK(schedule_arrive(&schedule, 0, 500, 2));
	CHECK_EQUAL(schedule.waiting_bytes, 1500);
	schedule_close(&schedule);
}

TEST(schedule_drops_the_oldest_that_waits)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.aqm = AQM_HEAD;
	open(&schedule, options);
	for (uint64_t i = 0; i < 4; i++)
		CHECK(schedule_arrive(&schedule, i, 1000, i));
	check_next(&schedule, 0, FATE_LEAVES, 8 * MS);
	check_next(&schedule, 1, FATE_DROPPED, 3);
	check_next(&schedule, 2, FATE_LEAVES, 16 * MS);
	check_next(&schedule, 3, FATE_LEAVES, 24 * MS);
	schedule_close(&schedule);
}

TEST(schedule_drops_nobody_for_a_frame_that_never_fits)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.aqm = AQM_HEAD;
	options.buffer_packets = 0;
	options.buffer_bytes = 1000;
	open(&schedule, options);
	CHECK(schedule_arrive(&schedule, 0, 1000, 0));
	CHECK(schedule_arrive(&schedule, 0, 1000, 1));
	CHECK(!schedule_arrive(&schedule, 0, 1001, 9));
	check_next(&schedule, 0, FATE_LEAVES, 8 * MS);
	check_next(&schedule, 1, FATE_LEAVES, 16 * MS);
	schedule_close(&schedule);
}

TEST(schedule_carries_the_rest_of_a_division_on)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.rate_bps = 3000000000u; /* 2 2/3 ns for a byte */
	open(&schedule, options);
	CHECK(schedule_arrive(&schedule, 100, 1, 0));
	CHECK(schedule_arrive(&schedule, 100, 1, 1));
	CHECK(schedule_arrive(&schedule, 100, 1, 2));
	check_next(&schedule, 0, FATE_LEAVES, 102);
	check_next(&schedule, 1, FATE_LEAVES, 105);
	check_next(&schedule, 2, FATE_LEAVES, 108);
	CHECK(schedule_arrive(&schedule, 200, 1, 3));
	check_next(&schedule, 3, FATE_LEAVES, 202);
	schedule_close(&schedule);
}

TEST(schedule_delays_behind_the_line)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.fixed_ns = 30 * MS;
	open(&schedule, options);
	for (uint64_t i = 0; i < 3; i++)
		CHECK(schedule_arrive(&schedule, 0, 1000, i));
	CHECK(schedule_arrive(&schedule, 9 * MS, 1000, 3)); /* one has begun meanwhile */
	check_next(&schedule, 0, FATE_LEAVES, 38 * MS);
	check_next(&schedule, 1, FATE_LEAVES, 46 * MS);
	schedule_close(&schedule);
}

TEST(schedule_takes_no_time_without_a_rate)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.rate_bps = 0;
	open(&schedule, options);
	for (uint64_t i = 0; i < 10; i++)
		CHECK(schedule_arrive(&schedule, 7, 1000, i));
	check_next(&schedule, 0, FATE_LEAVES, 7);
	schedule_close(&schedule);
}

TEST(schedule_loses_behind_the_queue)
{
	struct schedule_options options = plain();
	struct schedule schedule;

	options.loss_ppb = 1000000000;
	open(&schedule, options);
	CHECK(schedule_arrive(&schedule, 0, 1000, 0));
	CHECK(schedule_arrive(&schedule, 0, 1000, 1));
	check_next(&schedule, 0, FATE_LOST, 8 * MS);
	check_next(&schedule, 1, FATE_LOST, 16 * MS); /* the lost one took its time */
	schedule_close(&schedule);
}

TEST(schedule_takes_a_stamp_out_of_order_as_the_last_one)
{
	struct schedule schedule;

	open(&schedule, plain());
	CHECK(schedule_arrive(&schedule, 5 * MS, 1000, 0));
	CHECK(schedule_arrive(&schedule, 4 * MS, 1000, 1));
	check_next(&schedule, 0, FATE_LEAVES, 13 * MS);
	check_next(&schedule, 1, FATE_LEAVES, 21 * MS);
	schedule_close(&schedule);
}

TEST(schedule_moves_with_the_clock)
{
	struct schedule schedule;

	open(&schedule, plain());
	CHECK(schedule_arrive(&schedule, 5 * MS, 1000, 0));
	CHECK(schedule_arrive(&schedule, 5 * MS, 1000, 1));
	schedule_shift(&schedule, 100 * (int64_t)MS, 106 * MS);
	CHECK_EQUAL(schedule_next(&schedule), 113 * MS);
	schedule_shift(&schedule, -50 * (int64_t)MS, 57 * MS);
	check_next(&schedule, 0, FATE_LEAVES, 63 * MS);
	check_next(&schedule, 1, FATE_LEAVES, 71 * MS);
	schedule_close(&schedule);
}

/* By 5 s: the second frame had its stamp of the new clock before the step was noticed. */
TEST(schedule_moves_no_time_of_the_new_clock)
{
	struct schedule schedule;

	open(&schedule, plain());
	CHECK(schedule_arrive(&schedule, 5 * MS, 1000, 0));
	CHECK(schedule_arrive(&schedule, 5020 * MS, 1000, 1));
	schedule_shift(&schedule, 5000 * (int64_t)MS, 5020 * MS);
	check_next(&schedule, 0, FATE_LEAVES, 5013 * MS);
	check_next(&schedule, 1, FATE_LEAVES, 5028 * MS);
	CHECK(schedule_arrive(&schedule, 5030 * MS, 1000, 2));
	check_next(&schedule, 2, FATE_LEAVES, 5038 * MS);
	schedule_close(&schedule);
}

/* The same where that frame has left by then. */
TEST(schedule_leaves_a_free_line_free)
{
	struct schedule schedule;

	open(&schedule, plain());
	CHECK(schedule_arrive(&schedule, 5020 * MS, 1000, 0));
	check_next(&schedule, 0, FATE_LEAVES, 5028 * MS);
	schedule_shift(&schedule, 5000 * (int64_t)MS, 5030 * MS);
	CHECK(schedule_arrive(&schedule, 5040 * MS, 1000, 1));
	check_next(&schedule, 1, FATE_LEAVES, 5048 * MS);
	schedule_close(&schedule);
}

TEST(serial_counts_whole_cells)
{
	struct serial serial = { .rate_bps = MBIT, .overhead_bytes = -14, .atm = true };

	CHECK_EQUAL(serial_bytes(&serial, 14), 0);
	CHECK_EQUAL(serial_bytes(&serial, 15), 53);
	CHECK_EQUAL(serial_bytes(&serial, 62), 53);
	CHECK_EQUAL(serial_bytes(&serial, 63), 106);
	CHECK_EQUAL(serial_next(&serial, 0, 62), 424000);
	serial.atm = false;
	CHECK_EQUAL(serial_bytes(&serial, 4), 0);
	CHECK_EQUAL(serial_bytes(&serial, 1514), 1500);
}
