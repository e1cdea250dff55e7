// SPDX-License-Identifier: Apache-2.0
#include "line/schedule.h"
#include "tests/test.h"

#define MBIT 1000000ull
#define MS 1000000ull

/* 1 Mbit/s for 16 ms, 0.5 Mbit/s and 3 ms more until 40, nothing until 50. */
static const struct course_step steps[] = {
	{ 0, MBIT, 0 },
	{ 16 * MS, MBIT / 2, 3 * MS },
	{ 40 * MS, 0, 0 },
};

static struct course begun_at(uint64_t begun_ns)
{
	return (struct course){
		.step = steps, .steps = 3, .period_ns = 50 * MS, .begun_ns = begun_ns
	};
}

TEST(course_holds_each_step_until_the_next)
{
	struct course course = begun_at(100 * MS);
	uint64_t until_ns;

	CHECK_EQUAL(course_at(&course, 0, &until_ns)->rate_bps, MBIT);
	CHECK_EQUAL(until_ns, 100 * MS);
	CHECK_EQUAL(course_at(&course, 116 * MS, &until_ns)->rate_bps, MBIT / 2);
	CHECK_EQUAL(until_ns, 140 * MS);
	CHECK_EQUAL(course_at(&course, 149 * MS, &until_ns)->rate_bps, 0);
	CHECK_EQUAL(until_ns, 150 * MS);
	CHECK_EQUAL(course_at(&course, 101 * MS, &until_ns)->rate_bps, MBIT);
	CHECK_EQUAL(until_ns, 116 * MS);
	CHECK_EQUAL(course_at(&course, 270 * MS, &until_ns)->rate_bps, MBIT / 2);
	CHECK_EQUAL(until_ns, 290 * MS);
}

/* 1000 bytes are 8000 bits: 8 of 1 Mbit/s, or 16 ms of the half. */
TEST(course_carries_a_frame_over_its_steps)
{
	struct course course = begun_at(0);
	uint64_t bits = 8000 * 1000 * MS;
	uint64_t rest;

	CHECK_EQUAL(course_takes(&course, 0, bits, &rest), 8 * MS);
	CHECK_EQUAL(course_takes(&course, 8 * MS, bits, &rest), 8 * MS);
	CHECK_EQUAL(course_takes(&course, 12 * MS, bits, &rest), 12 * MS);
	CHECK_EQUAL(course_takes(&course, 32 * MS, bits, &rest), 22 * MS);
	CHECK_EQUAL(course_takes(&course, 45 * MS, bits, &rest), 13 * MS);
	CHECK_EQUAL(rest, 0);
}

static void check_leaves(struct schedule *schedule, uint64_t at_ns)
{
	const struct slot *slot = schedule_take(schedule, SCHEDULE_NEVER - 1);

	CHECK(slot);
	if (!slot)
		return;
	CHECK_EQUAL(slot->leaves_ns, at_ns);
	schedule_release(schedule);
}

TEST(schedule_follows_its_course)
{
	struct schedule_options options = { .rate_bps = MBIT,
					    .buffer_packets = 9,
					    .frame_most = 1514,
					    .step = steps,
					    .steps = 3,
					    .period_ns = 50 * MS };
	struct schedule schedule;

	CHECK_EQUAL(schedule_open(&schedule, &options, 64), 0);
	CHECK(schedule_arrive(&schedule, MS, 1000, 0));
	check_leaves(&schedule, 9 * MS);
	schedule_begin(&schedule, 100 * MS);
	for (uint64_t i = 0; i < 5; i++)
		CHECK(schedule_arrive(&schedule, 108 * MS, 1000, i));
	check_leaves(&schedule, 119 * MS); /* sent by 116, as the slow step begins */
	check_leaves(&schedule, 135 * MS); /* 132, and 3 ms */
	check_leaves(&schedule, 154 * MS); /* half of it, nothing for 10 ms, 4 ms */
	check_leaves(&schedule, 162 * MS);
	check_leaves(&schedule, 177 * MS); /* 4 ms, 8 of the half, and 3 ms */
	schedule_close(&schedule);
}

/* A delay that falls brings no frame before the one that it followed. */
TEST(schedule_keeps_the_order_as_delay_falls)
{
	static const struct course_step falls[] = { { 0, MBIT, 20 * MS }, { 10 * MS, MBIT, 0 } };
	struct schedule_options options = { .rate_bps = MBIT,
					    .buffer_packets = 9,
					    .frame_most = 1514,
					    .step = falls,
					    .steps = 2,
					    .period_ns = 50 * MS };
	struct schedule schedule;

	CHECK_EQUAL(schedule_open(&schedule, &options, 64), 0);
	schedule_begin(&schedule, 0);
	CHECK(schedule_arrive(&schedule, 0, 1000, 0));
	CHECK(schedule_arrive(&schedule, 0, 1000, 1));
	check_leaves(&schedule, 28 * MS);
	check_leaves(&schedule, 28 * MS);
	schedule_close(&schedule);
}
