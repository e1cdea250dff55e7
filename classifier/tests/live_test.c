// SPDX-License-Identifier: Apache-2.0
/* What is kept of live flows: its bounds, and its clock. */
#include "live/stamp.h"
#include "live/tables.h"
#include "model/read.h"
#include "tests/test.h"

#define SECOND 1000000ull
#define YEAR_2026 1767225600000000ull
#define HOUR (3600 * SECOND)

TEST(packet_of_a_flow_too_many_of_a_host_is_counted_as_untracked)
{
	static const uint8_t secret[SIPHASH_KEY_BYTES];
	struct model model = { 0 };
	struct tables tables = { 0 };
	struct scratch scratch;
	struct outcome outcome;

	model_preset(&model);
	model.new_flows_burst = 2;
	CHECK_EQUAL(cache_open(&tables.flows, 64, sizeof(struct flow_key),
			       sizeof(union live_window), secret),
		    0);
	CHECK_EQUAL(cache_open(&tables.decisions, 64, sizeof(struct flow_key),
			       sizeof(struct decision), secret),
		    0);
	CHECK_EQUAL(cache_open(&tables.hosts, 64, sizeof(((struct flow_key *)NULL)->lan),
			       sizeof(struct host), secret),
		    0);
	for (uint16_t port = 1; port <= 5; port++) {
		const struct seen seen = { .key = { .lan_port = port, .protocol = CLASSIFY_UDP } };

		classify(&tables, &model, &scratch, &seen, &outcome);
	}
	CHECK_EQUAL(tables.untracked, 3);
	cache_close(&tables.flows);
	cache_close(&tables.decisions);
	cache_close(&tables.hosts);
}

TEST(intervals_are_those_of_the_stamps)
{
	struct stamps stamps = { 0 };
	uint64_t first;

	stamps_look(&stamps, YEAR_2026, 50 * SECOND);
	first = stamps_time(&stamps, YEAR_2026 - 10);
	CHECK_EQUAL(first, 50 * SECOND - 10);
	stamps_look(&stamps, YEAR_2026 + SECOND + 7, 51 * SECOND); /* read one after the other */
	CHECK_EQUAL(stamps_time(&stamps, YEAR_2026 + SECOND) - first, SECOND + 10);
}

TEST(clock_of_packets_goes_on_when_the_time_of_day_is_set_back)
{
	struct stamps stamps = { 0 };

	stamps_look(&stamps, YEAR_2026, 50 * SECOND);
	stamps_look(&stamps, YEAR_2026 - HOUR + SECOND, 51 * SECOND);
	CHECK_EQUAL(stamps_time(&stamps, YEAR_2026 - HOUR + SECOND - 10), 51 * SECOND - 10);
}

TEST(packet_that_was_stamped_before_the_time_of_day_was_set_came_now)
{
	struct stamps stamps = { 0 };

	stamps_look(&stamps, YEAR_2026, 50 * SECOND);
	stamps_look(&stamps, YEAR_2026 - HOUR, 51 * SECOND);
	CHECK_EQUAL(stamps_time(&stamps, YEAR_2026 + SECOND - 10), 51 * SECOND);
	stamps_look(&stamps, YEAR_2026 + HOUR, 52 * SECOND);
	CHECK_EQUAL(stamps_time(&stamps, YEAR_2026 - HOUR), 52 * SECOND);
}
