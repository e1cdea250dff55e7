// SPDX-License-Identifier: Apache-2.0
/* Parts of a flow, of which the kernel counts the whole. */
#include "flows/table.h"
#include "tests/test.h"

static const struct flow reported = {
	.first_ns = { 10, 0 },
	.last_ns = { 40, 0 },
	.packets = { 3, 0 },
	.bytes = { 300, 0 },
};

TEST(table_counts_in_a_part_what_came_since_the_last)
{
	struct flow flow = reported;

	flow.packets[FLOW_UP] += 2;
	flow.bytes[FLOW_UP] += 150;
	flow.packets[FLOW_DOWN] = 1;
	flow.bytes[FLOW_DOWN] = 60;
	CHECK(flow_take_off(&flow, &reported));
	CHECK_EQUAL(flow.packets[FLOW_UP], 2);
	CHECK_EQUAL(flow.bytes[FLOW_UP], 150);
	CHECK_EQUAL(flow.packets[FLOW_DOWN], 1);
	CHECK_EQUAL(flow.bytes[FLOW_DOWN], 60);
}

/* The way that was reported from its last packet on, the other from its first. */
TEST(table_begins_a_part_where_the_last_one_ended)
{
	struct flow flow = reported;

	flow.packets[FLOW_UP]++;
	flow.last_ns[FLOW_UP] = 70;
	flow.packets[FLOW_DOWN]++;
	flow.first_ns[FLOW_DOWN] = flow.last_ns[FLOW_DOWN] = 60;
	flow_take_off(&flow, &reported);
	CHECK_EQUAL(flow.first_ns[FLOW_UP], 40);
	CHECK_EQUAL(flow.first_ns[FLOW_DOWN], 60);
	CHECK_EQUAL(flow_first_ns(&flow), 40);
	CHECK_EQUAL(flow_last_ns(&flow), 70);
}

TEST(table_leaves_a_silent_way_out_of_a_part)
{
	struct flow flow = reported;

	flow.packets[FLOW_DOWN]++;
	flow.first_ns[FLOW_DOWN] = flow.last_ns[FLOW_DOWN] = 60;
	CHECK(flow_take_off(&flow, &reported));
	CHECK_EQUAL(flow_first_ns(&flow), 60);
	CHECK_EQUAL(flow_last_ns(&flow), 60);
}

TEST(table_has_no_part_without_packets)
{
	struct flow flow = reported;

	CHECK(!flow_take_off(&flow, &reported));
}

static void take_none(void *context, const struct flow_record *record)
{
	(void)context, (void)record;
}

/* As where the rights to read maps are gone: no records are not the same as no flows. */
TEST(table_tells_that_it_cannot_be_read)
{
	struct flow_limits limits = { 0 };
	struct flow_table table = { .cpus = 1 };
	struct flow_counts counts;
	uint64_t left;

	flow_table_prepare(&table);
	CHECK(flow_table_collect(&table, &limits, true, take_none, NULL, &left) < 0);
	CHECK(flow_table_count(&table, &counts) < 0);
}
