// SPDX-License-Identifier: Apache-2.0
#include "lib/account.h"
#include "lib/clock.h"
#include "tests/test.h"

#define MS NS_PER_MS

static const struct account_options options = {
	.run = 9, .flows = 2, .bin_ns = MS, .bins = 4, .delay = true, .delay_by_flow = true
};

static struct arrival test_arrival(uint32_t flow, uint32_t sequence, uint64_t time_ns)
{
	return (struct arrival){
		.kind = ARRIVAL_TEST,
		.frame_bytes = 100,
		.source_port = (uint16_t)(5000 + flow),
		.time_ns = time_ns,
		.header = { .run = 9,
			    .flow = flow,
			    .sequence = sequence,
			    .time_ns = time_ns - 500 },
	};
}

static void add(struct account *account, uint32_t flow, uint32_t sequence, uint64_t time_ns)
{
	struct arrival arrival = test_arrival(flow, sequence, time_ns);

	account_add(account, &arrival);
}

TEST(account_keeps_every_arrival_once)
{
	struct account account;
	struct fault fault;
	struct arrival arrival;

	CHECK_EQUAL(account_open(&account, &options, &fault), 0);
	account_start(&account, 10 * MS);
	add(&account, 0, 0, 10 * MS + 1);
	add(&account, 0, 2, 10 * MS + 2);
	add(&account, 0, 1, 11 * MS); /* late */
	add(&account, 0, 1, 11 * MS + 1); /* twice: no reordering of its own */
	add(&account, 0, 5000, 13 * MS); /* a gap of 2 ms */
	add(&account, 0, 3, 99 * MS); /* stale */
	add(&account, 1, 7, 9 * MS); /* before the start */
	arrival = test_arrival(2, 0, 10 * MS); /* no such flow */
	account_add(&account, &arrival);
	arrival = test_arrival(0, 0, 10 * MS);
	arrival.header.run = 8;
	account_add(&account, &arrival);
	arrival.kind = ARRIVAL_FOREIGN;
	account_add(&account, &arrival);
	arrival.kind = ARRIVAL_CORRUPT;
	account_add(&account, &arrival);

	CHECK_EQUAL(account.received, 7);
	CHECK_EQUAL(account.unique, 5);
	CHECK_EQUAL(account.duplicated, 1);
	CHECK_EQUAL(account.stale, 1);
	CHECK_EQUAL(account.received, account.unique + account.duplicated + account.stale);
	CHECK_EQUAL(account.reordered, 2);
	CHECK_EQUAL(account.foreign, 3);
	CHECK_EQUAL(account.corrupt, 1);
	CHECK_EQUAL(account.bytes, 500);
	CHECK_EQUAL(account.flow[0].unique, 4);
	CHECK_EQUAL(account.flow[0].window.highest, 5000);
	CHECK_EQUAL(account.flow[1].source_port, 5001);
	CHECK_EQUAL(account.gaps_over_1ms, 2);
	CHECK_EQUAL(account.first_ns, 10 * MS + 1);
	CHECK_EQUAL(account.last_ns, 99 * MS);
	CHECK_EQUAL(account.rate[0], 3);
	CHECK_EQUAL(account.rate[1], 2);
	CHECK_EQUAL(account.rate[2], 0);
	CHECK_EQUAL(account.rate[3], 2);
	CHECK_EQUAL(account.delay.total, 5);
	CHECK_EQUAL(account.delay.count[histogram_bucket(500)], 5);
	CHECK_EQUAL(account.flow_delay[0].total, 4);
	CHECK_EQUAL(account.gap.total, 6);
	account_close(&account);
}

TEST(account_negative_delay)
{
	struct account account;
	struct fault fault;
	struct arrival arrival = test_arrival(0, 0, 5 * MS);

	CHECK_EQUAL(account_open(&account, &options, &fault), 0);
	account_start(&account, MS);
	arrival.header.time_ns = arrival.time_ns + 1;
	account_add(&account, &arrival);
	CHECK_EQUAL(account.delay_negative, 1);
	CHECK_EQUAL(account.delay.count[0], 1);
	account_close(&account);
}
