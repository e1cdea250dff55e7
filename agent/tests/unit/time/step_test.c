// SPDX-License-Identifier: Apache-2.0
#include "replay/inlet.h"
#include "tests/test.h"
#include "time/clock.h"
#include "time/step.h"

#define STEP_NS (5 * (int64_t)NS_PER_S)
#define NEAR_NS NS_PER_MS

TEST(step_sees_a_clock_that_was_set)
{
	const uint64_t s = 1000000000;
	struct step step = { 0 };

	CHECK_EQUAL(step_look(&step, 1 * s, 50 * s, 1 * s + 100), 0);
	CHECK_EQUAL(step_look(&step, 2 * s, 51 * s + 500000, 2 * s + 100), 0); /* slewed */
	CHECK_EQUAL(step_look(&step, 3 * s, 99 * s, 3 * s + 30000), 0); /* interrupted */
	CHECK_EQUAL(step_look(&step, 3 * s, 57 * s + 500000, 3 * s + 100), 5 * (int64_t)s);
	CHECK_EQUAL(step_look(&step, 4 * s, 53 * s + 500000, 4 * s + 100), -5 * (int64_t)s);
	CHECK_EQUAL(step.stepped_ns, 10 * s);
}

/* As if the clock had been set by STEP_NS since it was read last. */
static struct step step_before(void)
{
	struct clock_bracket now = clock_bracket();

	return (struct step){ .known = true,
			      .read_ns = now.before_ns,
			      .apart_ns = (int64_t)(now.real_ns - now.before_ns) - STEP_NS };
}

static void check_stepped(const struct step *step)
{
	CHECK(step->stepped_ns > STEP_NS - NEAR_NS);
	CHECK(step->stepped_ns < STEP_NS + NEAR_NS);
}

TEST(step_is_seen_where_the_offset_is_read)
{
	struct step step = step_before();
	int64_t away_ns = (int64_t)(step_offset(&step) - clock_realtime_offset());

	CHECK(away_ns < (int64_t)NEAR_NS && -away_ns < (int64_t)NEAR_NS);
	check_stepped(&step);
	step_offset(&step);
	check_stepped(&step); /* once */
}

/* Arrivals before the end are stamped by the offset before: the last reading sees the step. */
TEST(step_is_seen_at_the_end_of_a_replay)
{
	struct inlet inlet = { .fd = -1, .step = step_before() };

	inlet_settle(&inlet);
	check_stepped(&inlet.step);
}
