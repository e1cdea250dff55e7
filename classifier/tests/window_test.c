// SPDX-License-Identifier: Apache-2.0
/* Windows, their statistics, and that the defects of the report's source are not ours. */
#include "tests/made.h"

#include <arpa/inet.h>

static const bool modes[] = { false, true };

TEST(jumping_window_of_a_flow_takes_no_more_than_80_bytes)
{
	CHECK_EQUAL(JUMPING_BYTES, 72);
	CHECK_EQUAL(sizeof(struct jumping), 80);
	CHECK_EQUAL(sizeof(struct sliding), 160);
}

TEST(window_is_full_after_so_many_packets_of_both_directions)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 4);
		for (uint32_t i = 1; i <= 9; i++) {
			bool is_full = made_add(&made, i, 100, i % 2);

			CHECK_EQUAL(is_full, modes[mode] ? i >= 4 : i % 4 == 0);
		}
	}
}

TEST(lengths_of_each_direction)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 5);
		made_add(&made, 1, 100, WAY_UP);
		made_add(&made, 2, 1500, WAY_DOWN);
		made_add(&made, 3, 400, WAY_UP);
		made_add(&made, 4, 200, WAY_UP);
		CHECK(made_add(&made, 5, 500, WAY_DOWN));
		CHECK_EQUAL(made_value(&made, "fmin.plenbd"), 100);
		CHECK_EQUAL(made_value(&made, "fwd.mean.plen"), 233);
		CHECK_EQUAL(made_value(&made, "up.max.plen"), 400);
		CHECK_EQUAL(made_value(&made, "fstdev.plenbd"), 124);
		CHECK_EQUAL(made_value(&made, "bsum.plenbd"), 2000);
		CHECK_EQUAL(made_value(&made, "bck.stdev.plen"), 500);
		CHECK_EQUAL(made_value(&made, "mean.plen"), 540);
		CHECK_EQUAL(made_value(&made, "max.plen"), 1500);
		CHECK_EQUAL(made_value(&made, "fpckts.pcnt"), 3);
		CHECK_EQUAL(made_value(&made, "bpckts.pcnt"), 2);
		CHECK_EQUAL(made_value(&made, "ratio.pcnt"), 1500);
	}
}

TEST(direction_without_packets_has_zeros)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 2);
		made_add(&made, 1, 100, WAY_UP);
		CHECK(made_add(&made, 2, 100, WAY_UP));
		CHECK_EQUAL(made_value(&made, "bmin.plenbd"), 0);
		CHECK_EQUAL(made_value(&made, "bmean.iatbd"), 0);
		CHECK_EQUAL(made_value(&made, "ratio.pcnt"), 0);
		CHECK_EQUAL(made_value(&made, "ratio.skype"), 0);
	}
}

/* 10 then 100 up: its differences are 90; 40: 60 and 30; 40 down: 0 and 60. */
TEST(swings_of_lengths)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 4);
		made_add(&made, 1, 10, WAY_UP);
		made_add(&made, 2, 100, WAY_UP);
		made_add(&made, 3, 40, WAY_UP);
		CHECK(made_add(&made, 4, 40, WAY_DOWN));
		CHECK_EQUAL(made_value(&made, "mean.skype"), 47);
		CHECK_EQUAL(made_value(&made, "atpd.skype"), 240 * 1000 / 380);
		CHECK_EQUAL(made_value(&made, "ratio.skype"), 266);
	}
}

TEST(intervals_are_within_a_direction)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 5);
		made_add(&made, 1000, 100, WAY_UP);
		made_add(&made, 1100, 100, WAY_DOWN);
		made_add(&made, 1500, 100, WAY_UP);
		made_add(&made, 3100, 100, WAY_DOWN);
		CHECK(made_add(&made, 2500, 100, WAY_UP)); /* late: it came with the last */
		CHECK_EQUAL(made_value(&made, "fmin.iatbd"), 500);
		CHECK_EQUAL(made_value(&made, "fmax.iatbd"), 1600);
		CHECK_EQUAL(made_value(&made, "bmean.iatbd"), 2000);
		CHECK_EQUAL(made_value(&made, "mean.iat"), 1366);
	}
}

/* Defect: 32 bits overflowed from 32768 on, so that an interval of 33 ms was none. */
TEST(interval_of_seconds_does_not_overflow)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 20);
		for (uint64_t i = 0; i < 20; i++)
			made_add(&made, i * 5000000, 60000, WAY_UP);
		CHECK_EQUAL(made_value(&made, "fwd.min.iat"), 5000000);
		CHECK_EQUAL(made_value(&made, "fwd.mean.iat"), 5000000);
		CHECK_EQUAL(made_value(&made, "fwd.stdev.iat"), 0);
		CHECK_EQUAL(made_value(&made, "fwd.sum.plen"), 1200000);
	}
}

TEST(largest_values_of_the_largest_window)
{
	struct made_flow made;

	made_begin(&made, false, WINDOW_MOST);
	for (uint64_t i = 0; i < WINDOW_MOST; i++)
		made_add(&made, i, LENGTH_MOST, WAY_DOWN);
	for (uint64_t i = 0; i < WINDOW_MOST; i++) {
		uint64_t second = 1000000;

		made_add(&made, i * 10 * second + second, 1000000, i == 0 ? WAY_UP : WAY_DOWN);
	}
	CHECK_EQUAL(made_value(&made, "bck.mean.plen"), LENGTH_MOST);
	CHECK_EQUAL(made_value(&made, "bck.stdev.plen"), 0);
	CHECK_EQUAL(made_value(&made, "bck.min.iat"), INTERVAL_MOST);
	CHECK_EQUAL(made_value(&made, "bck.mean.iat"), INTERVAL_MOST);
	CHECK_EQUAL(made_value(&made, "bck.stdev.iat"), 0);
}

/*
 * Defects: the sliding deviation of both directions went over the wrong count, and one mode divided
 * by n, the other by n - 1. Here both modes show the same at the end of each window.
 */
TEST(jumping_and_sliding_windows_agree)
{
	static const char *const names[] = {
		"min.plen",	"mean.plen",	 "fwd.max.plen", "bck.stdev.plen", "sum.plen",
		"fmean.plenbd", "bstdev.plenbd", "fpckts.pcnt",	 "ratio.pcnt",	   "min.iat",
		"fwd.mean.iat", "bck.stdev.iat", "stdev.iat",	 "fstdev.iatbd",   "bstdev.iatbd",
		"bmax.iatbd",	"mean.skype",	 "ratio.skype",
	};
	uint64_t state = 7, time = 0;
	struct made_flow jumping, sliding;

	made_begin(&jumping, false, 20);
	made_begin(&sliding, true, 20);
	for (int i = 0; i < 2000; i++) {
		uint32_t length = 28 + (uint32_t)(test_random(&state) % 1473);
		uint32_t way = test_random(&state) % 3 == 0;
		bool is_full;

		time += test_random(&state) % (i % 7 ? 30000 : 9000000);
		is_full = made_add(&jumping, time, length, way);
		made_add(&sliding, time, length, way);
		for (size_t at = 0; is_full && at < sizeof(names) / sizeof(names[0]); at++)
			CHECK_EQUAL(made_value(&jumping, names[at]),
				    made_value(&sliding, names[at]));
	}
}

TEST(deviation_divides_by_the_count)
{
	for (int mode = 0; mode < 2; mode++) {
		struct made_flow made;

		made_begin(&made, modes[mode], 3);
		made_add(&made, 0, 100, WAY_UP);
		made_add(&made, 10000, 100, WAY_UP);
		CHECK(made_add(&made, 40000, 100, WAY_UP));
		CHECK_EQUAL(made_value(&made, "fstdev.iatbd"), 10000); /* of 10 and 30 ms */
		CHECK_EQUAL(made_value(&made, "fwd.stdev.iat"), 10000);
	}
}

/* Defect: a coarse clock under the name "accurate". */
TEST(time_has_microseconds)
{
	struct made_flow made;

	made_begin(&made, false, 2);
	made_add(&made, 5000000001, 100, WAY_UP);
	made_add(&made, 5000000002, 100, WAY_UP);
	CHECK_EQUAL(made_value(&made, "fwd.min.iat"), 1);
}

/* Defect: who sent first decided the direction, so a capture that began in a flow was mirrored. */
TEST(direction_is_that_of_the_lan)
{
	struct made_flow made;

	made_begin(&made, false, 2);
	made_add(&made, 1, 1400, WAY_DOWN);
	made_add(&made, 2, 60, WAY_UP);
	CHECK_EQUAL(made_value(&made, "fwd.mean.plen"), 60);
	CHECK_EQUAL(made_value(&made, "bck.mean.plen"), 1400);
}

TEST(square_root_rounds_down)
{
	for (uint64_t root = 0; root < 1 << 23; root += 1 + root / 9) {
		CHECK_EQUAL(spread_root(root * root), root);
		CHECK_EQUAL(spread_root(root * root + 2 * root), root);
	}
}

TEST(port_of_either_end_says_whether_it_is_a_service)
{
	static const struct {
		uint16_t lan, wan;
		int32_t service;
	} flows[] = {
		{ 50000, 443, 1 },   { 123, 50000, 1 },	    { 1023, 1024, 1 },
		{ 1024, 1024, 0 },   { 50000, 1900, 1 },    { 5353, 5353, 1 },
		{ 5354, 1901, 0 },   { 0x0353, 50000, 1 },  { 50000, 3478, 0 },
		{ 27960, 27960, 0 }, { 0xff01, 0xff02, 0 },
	};

	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		struct made_flow made;

		made_begin(&made, false, 2);
		made.record.key.lan_port = htons(flows[i].lan);
		made.record.key.wan_port = htons(flows[i].wan);
		made_add(&made, 1, 100, WAY_UP);
		CHECK(made_add(&made, 2, 100, WAY_UP));
		CHECK_EQUAL(made_value(&made, "service.port"), flows[i].service);
	}
}
