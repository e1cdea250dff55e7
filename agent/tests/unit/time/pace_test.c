// SPDX-License-Identifier: Apache-2.0
#include "tests/test.h"
#include "time/clock.h"
#include "time/pace.h"

/* Due times have to be t0 + i / rate to the nanosecond, for an hour. */
TEST(pace_does_not_drift)
{
	static const double rates[] = { 3, 1000, 49999.7, 333333, 1e6, 2997924.58 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const unsigned int bunch = 4096;
		uint64_t bunches = (uint64_t)(rates[i] * 3600 / bunch);
		struct pace pace;
		double error;

		pace_begin(&pace, 1000, rates[i], 0);
		for (uint64_t n = 0; n < bunches; n++)
			pace_step(&pace, bunch, 0);
		error = (double)pace.due_ns - 1000 - (double)(bunches * bunch) * 1e9 / rates[i];
		CHECK(error > -4 && error < 4);
	}
}

TEST(pace_steps_add_up)
{
	struct pace single, many;

	pace_begin(&single, 5, 333333, 0);
	pace_begin(&many, 5, 333333, 0);
	for (int i = 0; i < 256; i++)
		pace_step(&single, 1, 0);
	pace_step(&many, 256, 0);
	CHECK_EQUAL(single.due_ns, many.due_ns);
	CHECK_EQUAL(single.due_fraction, many.due_fraction);
}

TEST(pace_catches_up_at_double_speed)
{
	struct pace pace;
	uint64_t now = 1000000;
	int sent = 0;

	pace_begin(&pace, 0, 200000, 0); /* a gap of 5 us, 200 of them late */
	while (pace.due_ns < now) {
		uint64_t target = pace_target(&pace);

		now = target > now ? target : now;
		pace_step(&pace, 1, now);
		CHECK(pace_target(&pace) >= now + 2500);
		sent++;
	}
	/* Both go on meanwhile: 200 late ones take 400 to catch up. */
	CHECK(sent >= 398 && sent <= 402);
	CHECK_EQUAL(pace_target(&pace), pace.due_ns > now + 2500 ? pace.due_ns : now + 2500);
}

/* Packets until one is on time again, after one that went late_ns late; their shortest gap. */
static int catch_up(double rate_pps, uint64_t late_ns, uint64_t *shortest_ns)
{
	struct pace pace;
	uint64_t now = late_ns;
	int sent = 0;

	*shortest_ns = UINT64_MAX;
	pace_begin(&pace, 0, rate_pps, 0);
	pace_step(&pace, 1, now);
	while (pace_target(&pace) > pace.due_ns) {
		uint64_t gap = pace_target(&pace) - now;

		*shortest_ns = gap < *shortest_ns ? gap : *shortest_ns;
		now += gap;
		pace_step(&pace, 1, now);
		sent++;
	}
	return sent;
}

TEST(pace_catches_up_evenly_where_that_is_soon)
{
	static const struct {
		double rate_pps;
		uint64_t late_ns, shortest_ns;
		int sent; /* about so many */
	} cases[] = {
		{ 50000, 400000, 17000, 133 }, /* by 3 us a packet */
		{ 10000, 1000000, 97000, 333 },
		{ 50000, 2000000, 10000, 433 }, /* first by half a gap, then evenly */
		{ 1000, 900000, 500000, 1 }, /* it would take 300 packets */
		{ 500000, 100000, 1000, 100 }, /* half a gap is less than 3 us */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t shortest_ns;
		int sent = catch_up(cases[i].rate_pps, cases[i].late_ns, &shortest_ns);

		CHECK_EQUAL(shortest_ns, cases[i].shortest_ns);
		CHECK(sent >= cases[i].sent - 1 && sent <= cases[i].sent + 1);
	}
}

TEST(pace_begins_between_ticks)
{
	CHECK_EQUAL(pace_after_tick(1024, 0), 768);
	CHECK_EQUAL(pace_after_tick(1024, 191), 959);
	CHECK_EQUAL(pace_after_tick(1024, 192), 768);
	CHECK_EQUAL(pace_after_tick(2 * NS_PER_MS, 0), 750 * NS_PER_US);
	CHECK_EQUAL(pace_after_tick(20 * NS_PER_MS, 0), 3750 * NS_PER_US);
}

TEST(pace_begins_soon)
{
	for (uint64_t soonest = 9 * NS_PER_MS; soonest < 9 * NS_PER_MS + 4096; soonest++) {
		uint64_t first = pace_first(soonest, 10000, 4);
		uint64_t after = first % PACE_TICK_NS;

		CHECK(first >= soonest && first - soonest < PACE_TICK_NS);
		CHECK(after >= 300 * NS_PER_US && after <= 375 * NS_PER_US);
	}
	CHECK_EQUAL(pace_first(7, 0, 32), 7);
}

TEST(pace_cap_holds_down)
{
	struct pace pace;

	pace_begin(&pace, 0, 100000, 50000);
	pace_step(&pace, 1, 0);
	CHECK_EQUAL(pace_target(&pace), 20000);
	pace_begin(&pace, 0, 0, 50000);
	pace_step(&pace, 1, 7);
	CHECK_EQUAL(pace_target(&pace), 20007);
	pace_begin(&pace, 0, 0, 0);
	pace_step(&pace, 32, 7);
	CHECK_EQUAL(pace_target(&pace), 7);
}

TEST(pace_scheduled_counts)
{
	CHECK_EQUAL(pace_scheduled(1000, NS_PER_S), 1000);
	CHECK_EQUAL(pace_scheduled(100000, 300 * NS_PER_MS), 30000);
	CHECK_EQUAL(pace_scheduled(3, NS_PER_S), 3);
	CHECK_EQUAL(pace_scheduled(0.5, NS_PER_S), 1);
	CHECK_EQUAL(pace_scheduled(1.5, NS_PER_S), 2);
	CHECK_EQUAL(pace_scheduled(10350.4, 10 * NS_PER_S), 103504);
}

TEST(pace_waits)
{
	uint64_t target = clock_now() + 300 * NS_PER_US;
	uint64_t now;

	clock_sharpen();
	now = pace_wait(target);
	CHECK(now >= target);
	CHECK(pace_wait(target) >= target);
}

TEST(pace_sleeps_to_the_end)
{
	uint64_t target = clock_now() + 3 * NS_PER_MS;

	CHECK(pace_sleep(target) >= target);
	CHECK(pace_sleep(target) >= target); /* which is over: no sleep */
}

TEST(clock_offset_is_steady)
{
	uint64_t offset = clock_realtime_offset();
	uint64_t real = clock_read(CLOCK_REALTIME);
	uint64_t now = clock_now();
	int64_t difference = (int64_t)(real + offset - now);

	/* Generous: a machine under load may stop between the two reads. */
	CHECK(difference <= 100000 && difference > -1000000000);
}
