// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses whose misses were worked out by hand. The first level has 2 sets and 2 ways of 16 bytes,
 * the second 4 sets and 2 ways.
 */
#include "region.h"
#include "agent/tests/test.h"

#define LEVELS "64/2/16:128/2/16"

static void walked(struct levels *levels, struct head *head, uint64_t bytes)
{
	for (uint64_t at = 0; at < bytes; at += 16)
		region_access(levels, head, 0x1000 + at, false);
}

TEST(region_counts_between_marks_alone)
{
	struct levels levels = { 0 };
	struct head head = { 0 };

	CHECK(levels_read(&levels, LEVELS));
	region_run(&head, 5);
	walked(&levels, &head, 16);
	CHECK_EQUAL(head.region.begun, 0);
	region_access(&levels, &head, MARK_OPEN, true);
	region_run(&head, 7);
	walked(&levels, &head, 32);
	region_access(&levels, &head, MARK_CLOSE, true);
	region_run(&head, 9);
	walked(&levels, &head, 64);
	CHECK_EQUAL(head.region.instructions, 7);
	CHECK_EQUAL(head.region.accesses, 2);
	CHECK_EQUAL(head.region.misses[0], 2);
	levels_free(&levels);
}

TEST(region_the_second_level_sees_what_the_first_misses)
{
	struct levels levels = { 0 };
	struct head head = { 0 };

	levels_read(&levels, LEVELS);
	region_access(&levels, &head, MARK_OPEN, true);
	walked(&levels, &head, 64); /* fits the first */
	walked(&levels, &head, 64);
	CHECK_EQUAL(head.region.misses[0], 4);
	CHECK_EQUAL(head.region.misses[1], 4);
	walked(&levels, &head, 128); /* thrashes the first, fits the second */
	walked(&levels, &head, 128);
	CHECK_EQUAL(head.region.misses[0], 4 + 4 + 8);
	CHECK_EQUAL(head.region.misses[1], 8);
	walked(&levels, &head, 256); /* thrashes both */
	walked(&levels, &head, 256);
	CHECK_EQUAL(head.region.misses[1], 8 + 8 + 16);
	levels_free(&levels);
}

TEST(region_what_ran_before_fills_the_caches)
{
	struct levels levels = { 0 };
	struct head head = { 0 };

	levels_read(&levels, LEVELS);
	region_access(&levels, &head, MARK_OPEN, true);
	region_access(&levels, &head, MARK_CLOSE, true);
	walked(&levels, &head, 64);
	CHECK_EQUAL(head.region.accesses, 0);
	region_access(&levels, &head, MARK_OPEN, true);
	walked(&levels, &head, 64);
	CHECK_EQUAL(head.region.accesses, 4);
	CHECK_EQUAL(head.region.misses[0], 0);
	levels_free(&levels);
}

TEST(region_a_load_is_no_mark_and_marks_nest)
{
	struct levels levels = { 0 };
	struct head head = { 0 };

	levels_read(&levels, "64/2/16");
	region_access(&levels, &head, MARK_CLOSE, true);
	region_access(&levels, &head, MARK_OPEN, false);
	CHECK_EQUAL(head.region.open, 0);
	region_access(&levels, &head, MARK_OPEN, true);
	region_access(&levels, &head, MARK_OPEN, true);
	region_access(&levels, &head, MARK_CLOSE, true);
	CHECK_EQUAL(head.region.open, 1);
	levels_free(&levels);
}

TEST(region_refuses_what_are_no_caches)
{
	struct levels levels = { 0 };

	CHECK(!levels_read(&levels, "64/2"));
	CHECK(!levels_read(&levels, "64/2/16:"));
	CHECK(!levels_read(&levels, "64/2/16:64/2/16:64/2/16"));
	CHECK(!levels_read(&levels, "63/2/16"));
	levels_free(&levels);
}
