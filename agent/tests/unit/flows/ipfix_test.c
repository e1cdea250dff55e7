// SPDX-License-Identifier: Apache-2.0
/* The times of flows in IPFIX messages. */
#include "flows/export.h"
#include "frame/bytes.h"
#include "tests/test.h"
#include "time/clock.h"

#define FIRST_AT (MESSAGE_HEADER_BYTES + MESSAGE_SET_BYTES) /* where a message has no templates */
#define START_AT 16 /* in a record of IPv4, see flows/ipfix.c */
#define END_AT 24
#define ICMP_AT 48
#define UNIFLOW_BYTES 50

static uint64_t read_ms(const struct ipfix *ipfix, size_t at)
{
	return be_load(ipfix->message.bytes + at, 8);
}

static const struct flow_record both_ways = {
	.flow.first_ns = { 1 * NS_PER_S, 3 * NS_PER_S },
	.flow.last_ns = { 5 * NS_PER_S, 4 * NS_PER_S },
	.flow.packets = { 2, 2 },
};

TEST(ipfix_tells_the_times_of_each_way)
{
	struct ipfix ipfix = { .biflows = false };
	size_t second_at = FIRST_AT + UNIFLOW_BYTES;

	ipfix_begin(&ipfix, false);
	CHECK(ipfix_add(&ipfix, &both_ways));
	CHECK_EQUAL(ipfix.message.used, second_at + UNIFLOW_BYTES);
	CHECK_EQUAL(read_ms(&ipfix, FIRST_AT + START_AT), 1000);
	CHECK_EQUAL(read_ms(&ipfix, FIRST_AT + END_AT), 5000);
	CHECK_EQUAL(read_ms(&ipfix, second_at + START_AT), 3000);
	CHECK_EQUAL(read_ms(&ipfix, second_at + END_AT), 4000);
}

TEST(ipfix_tells_the_times_of_both_ways_together)
{
	struct ipfix ipfix = { .biflows = true };

	ipfix_begin(&ipfix, false);
	CHECK(ipfix_add(&ipfix, &both_ways));
	CHECK_EQUAL(read_ms(&ipfix, FIRST_AT + START_AT), 1000);
	CHECK_EQUAL(read_ms(&ipfix, FIRST_AT + END_AT), 5000);
}

/* The type and code in a record of a packet that went up or down, as a number. */
static uint64_t icmp_type_code(bool is_ipv6, uint8_t protocol, enum flow_way way)
{
	struct flow_record record = { .is_ipv6 = is_ipv6, .protocol = protocol };
	struct ipfix ipfix = { .biflows = true };

	record.flow.first_way = (uint8_t)way;
	record.flow.packets[way] = 1;
	be16_store((uint8_t *)(way == FLOW_UP ? &record.high_port : &record.low_port), 0x0301);
	ipfix_begin(&ipfix, false);
	CHECK(ipfix_add(&ipfix, &record));
	return be_load(ipfix.message.bytes + FIRST_AT + ICMP_AT + (is_ipv6 ? 24 : 0), 2);
}

TEST(ipfix_tells_type_and_code_of_icmp_alone)
{
	CHECK_EQUAL(icmp_type_code(false, 1, FLOW_UP), 0x0301);
	CHECK_EQUAL(icmp_type_code(false, 1, FLOW_DOWN), 0x0301);
	CHECK_EQUAL(icmp_type_code(true, 58, FLOW_DOWN), 0x0301);
	CHECK_EQUAL(icmp_type_code(false, 17, FLOW_UP), 0);
	CHECK_EQUAL(icmp_type_code(true, 6, FLOW_UP), 0);
}

/* In a part of a flow the end that began it may have been silent. */
TEST(ipfix_has_no_record_of_a_silent_way)
{
	struct flow_record record = both_ways;
	struct ipfix ipfix = { .biflows = false };

	record.flow.packets[FLOW_UP] = 0;
	ipfix_begin(&ipfix, false);
	CHECK(ipfix_add(&ipfix, &record));
	CHECK_EQUAL(ipfix.inside, 1);
	CHECK_EQUAL(read_ms(&ipfix, FIRST_AT + START_AT), 3000);
}

/* As if it had been set since the export was opened. */
TEST(export_reads_the_time_of_day_for_each_message)
{
	struct flow_record record = both_ways;
	struct flow_export export = { .ipfix = { .biflows = true, .realtime_ns = NS_PER_S } };
	uint64_t before_ms, start_ms, after_ms;

	ipfix_begin(&export.ipfix, false);
	before_ms = clock_read(CLOCK_REALTIME) / NS_PER_MS;
	record.flow.first_ns[FLOW_UP] = record.flow.first_ns[FLOW_DOWN] = clock_now();
	after_ms = clock_read(CLOCK_REALTIME) / NS_PER_MS;
	flow_export_put(&export, &record);
	start_ms = read_ms(&export.ipfix, FIRST_AT + START_AT);
	CHECK(start_ms + 1 >= before_ms);
	CHECK(start_ms <= after_ms + 1);
}
