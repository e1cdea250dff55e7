// SPDX-License-Identifier: Apache-2.0
#include "line/codel.h"
#include "tests/test.h"

#define MS 1000000ull
#define LONG_BYTES 100000 /* behind the head: a queue */

/* A head that waited too long, at so many ms; alone in its round. */
static bool drops(struct codel *codel, uint64_t at_ms)
{
	return codel_drops(codel, at_ms * MS, 20 * MS, LONG_BYTES, false);
}

TEST(codel_roots)
{
	CHECK_EQUAL(codel_root(0), 0);
	CHECK_EQUAL(codel_root(3), 1);
	CHECK_EQUAL(codel_root(4), 2);
	CHECK_EQUAL(codel_root(10000000000000000ull), 100000000);
	CHECK_EQUAL(codel_root(10000000000000000ull / 2), 70710678);
	CHECK_EQUAL(codel_root(UINT64_MAX), UINT32_MAX);
}

TEST(codel_has_a_target_of_one_and_a_half_full_frames)
{
	struct codel codel;

	codel_begin(&codel, 12112000, 1514);
	CHECK_EQUAL(codel.target_ns, 18168000);
	codel_begin(&codel, 121120, 1514);
	CHECK_EQUAL(codel.target_ns, 5 * MS);
}

TEST(codel_waits_an_interval_and_then_drops_faster)
{
	struct codel codel;

	codel_begin(&codel, 0, 1514);
	CHECK(!drops(&codel, 10));
	CHECK(!drops(&codel, 109));
	CHECK(drops(&codel, 110));
	CHECK(!codel_drops(&codel, 110 * MS, 20 * MS, LONG_BYTES, true)); /* the next one goes */
	CHECK(!drops(&codel, 209));
	CHECK(drops(&codel, 210));
	CHECK(!codel_drops(&codel, 210 * MS, 20 * MS, LONG_BYTES, true));
	CHECK_EQUAL(codel.count, 2);
	CHECK_EQUAL(codel.drop_next_ns, 280710678); /* 210 ms + 100 ms / sqrt(2) */
}

TEST(codel_drops_several_that_are_due)
{
	struct codel codel;

	codel_begin(&codel, 0, 1514);
	CHECK(!drops(&codel, 1));
	CHECK(drops(&codel, 101));
	codel_drops(&codel, 101 * MS, 20 * MS, LONG_BYTES, true);
	CHECK(drops(&codel, 300)); /* due at 201, and the next at 271.7 ms */
	CHECK(codel_drops(&codel, 300 * MS, 20 * MS, LONG_BYTES, true));
	CHECK(!codel_drops(&codel, 300 * MS, 20 * MS, LONG_BYTES, true));
}

TEST(codel_leaves_a_short_queue)
{
	struct codel codel;

	codel_begin(&codel, 0, 1514);
	drops(&codel, 10);
	CHECK(!codel_drops(&codel, 50 * MS, 4 * MS, LONG_BYTES, false)); /* below the target */
	CHECK(!drops(&codel, 110)); /* the interval begins anew */
	CHECK(!codel_drops(&codel, 210 * MS, 20 * MS, 1514, false)); /* one full frame behind it */
	CHECK(!drops(&codel, 211));
	CHECK(!drops(&codel, 310));
	CHECK(drops(&codel, 311));
}

TEST(codel_remembers_its_last_count)
{
	struct codel codel;

	codel_begin(&codel, 0, 1514);
	codel.count = 9;
	codel.last_count = 2;
	codel.drop_next_ns = 1000 * MS;
	drops(&codel, 1100);
	CHECK(drops(&codel, 1200));
	CHECK_EQUAL(codel.count, 7);
	codel_begin(&codel, 0, 1514);
	codel.count = 9;
	codel.last_count = 2;
	codel.drop_next_ns = 1000 * MS;
	drops(&codel, 2500);
	CHECK(drops(&codel, 2600)); /* 16 intervals later */
	CHECK_EQUAL(codel.count, 1);
}
