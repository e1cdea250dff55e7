// SPDX-License-Identifier: Apache-2.0
#include "tests/test.h"
#include "time/turn.h"

static const struct turn second = { .of = 3, .at = 1, .length_ns = 1000 };

TEST(turn_alone_is_always)
{
	const struct turn alone = { .of = 0, .length_ns = 1000 };

	CHECK_EQUAL(turn_from(&alone, 12345), 12345);
}

TEST(turn_now)
{
	CHECK_EQUAL(turn_from(&second, 7000), 7000); /* the round began at 6000 */
	CHECK_EQUAL(turn_from(&second, 7799), 7799);
}

TEST(turn_rests_at_its_end)
{
	CHECK_EQUAL(turn_from(&second, 7800), 10000);
}

TEST(turn_to_come_in_this_round)
{
	CHECK_EQUAL(turn_from(&second, 6001), 7000);
}

TEST(turn_over_in_this_round)
{
	CHECK_EQUAL(turn_from(&second, 8000), 10000);
}

/* At any time at most one of all may send. */
TEST(turn_of_one_at_a_time)
{
	for (uint64_t now = 600; now < 9000; now += 7) {
		unsigned int may = 0;

		for (uint32_t at = 0; at < 3; at++) {
			const struct turn turn = { .of = 3, .at = at, .length_ns = 1000 };

			may += turn_from(&turn, now) == now;
			CHECK(turn_from(&turn, now) >= now);
			CHECK_EQUAL(turn_from(&turn, turn_from(&turn, now)), turn_from(&turn, now));
		}
		CHECK(may <= 1);
	}
}
