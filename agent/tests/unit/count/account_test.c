// SPDX-License-Identifier: Apache-2.0
#include "bpf/tag.h"
#include "count/account.h"
#include "frame/mark.h"
#include "tests/test.h"
#include "time/clock.h"

#define MS NS_PER_MS

static const struct tally_options options = {
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

TEST(another_mark_is_counted_where_it_is_known)
{
	const uint8_t marks[] = { 46, 0, 46, 40, MARK_UNKNOWN };
	struct tally_options marked = options;
	struct account account;
	struct fault fault = { 0 };

	marked.mark = 46;
	CHECK_EQUAL(account_open(&account, &marked, &fault), 0);
	account_start(&account, MS);
	for (uint32_t i = 0; i < sizeof(marks); i++) {
		struct arrival arrival = test_arrival(0, i, 10 * MS);

		arrival.mark = marks[i];
		account_add(&account, &arrival);
	}
	CHECK_EQUAL(account.tally.received, sizeof(marks));
	CHECK_EQUAL(account.tally.mark_changed, 2);
	account_close(&account);
}

TEST(another_port_than_the_first_of_a_flow_is_counted)
{
	const uint16_t ports[] = { 5001, 5001, 1024, 5001 };
	struct account account;
	struct fault fault = { 0 };

	CHECK_EQUAL(account_open(&account, &options, &fault), 0);
	account_start(&account, MS);
	for (uint32_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
		struct arrival arrival = test_arrival(1, i, 10 * MS);

		arrival.source_port = ports[i];
		account_add(&account, &arrival);
	}
	CHECK_EQUAL(account.tally.flow[1].source_port, 5001);
	CHECK_EQUAL(account.tally.port_changed, 1);
	account_close(&account);
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
	add(&account, 0, 4999, 13 * MS); /* a gap of 2 ms */
	add(&account, 0, 5000, 13 * MS); /* no stray: two numbers have leapt */
	add(&account, 0, 3, 99 * MS); /* stale */
	add(&account, 1, 7, 9 * MS); /* before the start */
	arrival = test_arrival(2, 0, 10 * MS); /* no such flow */
	account_add(&account, &arrival);
	arrival = test_arrival(0, 0, 10 * MS);
	arrival.header.run = 8;
	account_add(&account, &arrival);
	arrival.kind = ARRIVAL_FOREIGN;
	account_add(&account, &arrival);
	for (int kind = ARRIVAL_IP_SUM; kind <= ARRIVAL_NO_SUM; kind++) {
		arrival.kind = (enum arrival_kind)kind;
		account_add(&account, &arrival);
	}

	CHECK_EQUAL(account.tally.received, 8);
	CHECK_EQUAL(account.tally.unique, 6);
	CHECK_EQUAL(account.tally.duplicated, 1);
	CHECK_EQUAL(account.tally.stale, 1);
	CHECK_EQUAL(account.tally.received,
		    account.tally.unique + account.tally.duplicated + account.tally.stale);
	CHECK_EQUAL(account.tally.reordered, 2);
	CHECK_EQUAL(account.tally.foreign, 3);
	CHECK_EQUAL(account.tally.corrupt, 3);
	CHECK_EQUAL(account.tally.corrupt_by.ip_sum, 1);
	CHECK_EQUAL(account.tally.corrupt_by.udp_sum, 1);
	CHECK_EQUAL(account.tally.corrupt_by.no_sum, 1);
	CHECK_EQUAL(account.tally.corrupt_by.header, 2);
	CHECK_EQUAL(account.tally.late[0], 1); /* 1 behind 2 */
	CHECK_EQUAL(account.tally.late[12], 1); /* 3 behind 5000 */
	CHECK(!account.tally.ledger);
	CHECK_EQUAL(account.tally.bytes, 600);
	CHECK_EQUAL(account.tally.flow[0].unique, 5);
	CHECK_EQUAL(account.tally.flow[0].highest, 5000);
	CHECK_EQUAL(account.tally.flow[0].duplicated, 1);
	CHECK_EQUAL(account.tally.flow[0].reordered, 2);
	CHECK_EQUAL(account.tally.flow[1].source_port, 5001);
	CHECK_EQUAL(account.tally.gaps_over_1ms, 2);
	CHECK_EQUAL(account.tally.first_ns, 10 * MS + 1);
	CHECK_EQUAL(account.tally.last_ns, 99 * MS);
	CHECK_EQUAL(account.tally.bin[0].packets, 3);
	CHECK_EQUAL(account.tally.bin[1].packets, 2);
	CHECK_EQUAL(account.tally.bin[2].packets, 0);
	CHECK_EQUAL(account.tally.bin[3].packets, 3);
	CHECK_EQUAL(account.tally.bin[0].delay_sum_ns, 1500);
	CHECK_EQUAL(account.tally.bin[1].delay_max_ns, 500);
	CHECK_EQUAL(account.tally.bin[2].delay_max_ns, 0);
	CHECK_EQUAL(account.tally.delay.total, 6);
	CHECK_EQUAL(account.tally.delay.count[histogram_bucket(500)], 6);
	CHECK_EQUAL(account.tally.flow_delay[0].total, 5);
	CHECK_EQUAL(account.tally.gap.total, 7);
	account_close(&account);
}

/* A slow packet raises the greatest delay of its bin, and of no other. */
TEST(account_delay_over_time)
{
	struct account account;
	struct fault fault;
	struct arrival arrival = test_arrival(0, 1, 11 * MS);

	CHECK_EQUAL(account_open(&account, &options, &fault), 0);
	account_start(&account, 10 * MS);
	add(&account, 0, 0, 10 * MS);
	arrival.header.time_ns -= 70000;
	account_add(&account, &arrival);
	add(&account, 0, 2, 11 * MS + 1);
	CHECK_EQUAL(account.tally.bin[0].delay_max_ns, 500);
	CHECK_EQUAL(account.tally.bin[1].delay_max_ns, 70500);
	CHECK_EQUAL(account.tally.bin[1].delay_sum_ns, 71000);
	account_close(&account);
}

/* A sender whose clock is behind or ahead, by more than 40 bits hold. */
TEST(account_delay_by_two_clocks)
{
	const uint64_t bits = (1ULL << 40) - 1;
	const int64_t ahead[] = { 70000000, -70000000, (7LL << 40) + 5, -(3LL << 40) - 5 };

	for (size_t i = 0; i < sizeof(ahead) / sizeof(*ahead); i++) {
		struct tally_options clocks = options;
		struct account account;
		struct arrival arrival = test_arrival(0, 0, 9000 * MS);
		struct fault fault;

		clocks.clock_ns = (uint64_t)ahead[i] & bits;
		CHECK_EQUAL(account_open(&account, &clocks, &fault), 0);
		account_start(&account, 9000 * MS);
		arrival.header.time_ns = (arrival.header.time_ns - (uint64_t)ahead[i]) & bits;
		account_add(&account, &arrival);
		CHECK_EQUAL(account.tally.delay_negative, 0);
		CHECK_EQUAL(account.tally.delay.count[histogram_bucket(500)], 1);
		account_close(&account);
	}
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
	CHECK_EQUAL(account.tally.delay_negative, 1);
	CHECK_EQUAL(account.tally.delay.count[0], 1);
	CHECK_EQUAL(account.tally.bin[3].packets, 1);
	CHECK_EQUAL(account.tally.bin[3].delay_sum_ns, 0);
	account_close(&account);
}

TEST(account_a_gap_of_1_ms_is_not_over_it)
{
	struct account account;
	struct fault fault;

	CHECK_EQUAL(account_open(&account, &options, &fault), 0);
	account_start(&account, 10 * MS);
	add(&account, 0, 0, 10 * MS);
	add(&account, 0, 1, 11 * MS);
	CHECK_EQUAL(account.tally.gaps_over_1ms, 0);
	add(&account, 0, 2, 12 * MS + 1);
	CHECK_EQUAL(account.tally.gaps_over_1ms, 1);
	account_close(&account);
}

/* With a ledger nothing is stale: a number comes for the first time, or again. */
TEST(account_with_a_ledger)
{
	struct tally_options kept = options;
	struct account account;
	struct fault fault;

	kept.ledger = 130;
	CHECK_EQUAL(tally_words(&kept), 3);
	CHECK_EQUAL(account_open(&account, &kept, &fault), 0);
	account_start(&account, 10 * MS);
	add(&account, 1, 129, 10 * MS);
	add(&account, 1, 9000, 10 * MS); /* beyond it */
	add(&account, 1, 9001, 10 * MS);
	add(&account, 1, 64, 10 * MS); /* the window has passed */
	add(&account, 1, 64, 10 * MS);
	add(&account, 1, 130, 10 * MS); /* passed, and not in the ledger */
	CHECK_EQUAL(account.tally.unique, 4);
	CHECK_EQUAL(account.tally.duplicated, 1);
	CHECK_EQUAL(account.tally.stale, 1);
	CHECK_EQUAL(account.tally.reordered, 2);
	CHECK_EQUAL(account.tally.late[13], 2);
	CHECK_EQUAL(account.tally.ledger[2], 0); /* flow 0 */
	CHECK_EQUAL(account.tally.ledger[3], 0);
	CHECK_EQUAL(account.tally.ledger[4], 1);
	CHECK_EQUAL(account.tally.ledger[5], 2);
	account_close(&account);
}

TEST(account_keeps_the_first_silences)
{
	struct tally_options quiet = options;
	struct account account;
	const struct tally_queue *queue;
	struct fault fault;

	quiet.silence_ns = 2 * MS;
	CHECK_EQUAL(account_open(&account, &quiet, &fault), 0);
	account_start(&account, 10 * MS);
	add(&account, 0, 0, 10 * MS);
	add(&account, 0, 1, 12 * MS); /* no longer than that */
	for (uint32_t i = 0; i < SPANS_KEPT + 4; i++)
		add(&account, 0, 2 + i, 15 * MS + i * 3 * MS);
	queue = &account.tally.queue[0];
	CHECK_EQUAL(queue->first_ns, 10 * MS);
	CHECK_EQUAL(queue->last_ns, account.tally.last_ns);
	CHECK_EQUAL(queue->silences.count, SPANS_KEPT + 4);
	CHECK_EQUAL(queue->silences.total_ns, (SPANS_KEPT + 4) * 3 * MS);
	CHECK_EQUAL(queue->silences.first[0].t_ns, 12 * MS);
	CHECK_EQUAL(queue->silences.first[SPANS_KEPT - 1].ns, 3 * MS);
	account_close(&account);
}

/* What came where a hundred numbers of each flow were sent, one in a microsecond. */
static const struct bound bound = { .numbers = 100, .gap_ns = 2000, .lead_ns = 500 };

static void open_bound(struct account *account, const struct tally_options *given)
{
	struct tally_options own = *given;
	struct fault fault;

	own.bound = bound;
	CHECK_EQUAL(account_open(account, &own, &fault), 0);
	account_start(account, 10 * MS);
}

/* One packet with a number that nobody sent cost 99 990 of 100 000 good ones. */
TEST(account_a_stray_costs_no_good_packet)
{
	struct account account;
	struct tally_options far = options;
	struct fault fault;

	far.bound = (struct bound){ .numbers = 100000 };
	CHECK_EQUAL(account_open(&account, &far, &fault), 0);
	account_start(&account, 10 * MS);
	for (uint32_t number = 0; number < 100000; number++) {
		if (number == 10)
			add(&account, 0, 0x40000000, 10 * MS);
		add(&account, 0, number, 10 * MS + number);
	}
	CHECK_EQUAL(account.tally.unique, 100000);
	CHECK_EQUAL(account.tally.stale, 0);
	CHECK_EQUAL(account.tally.beyond, 1);
	CHECK_EQUAL(account.tally.foreign, 1);
	CHECK_EQUAL(account.tally.corrupt_by.header, 1);
	CHECK_EQUAL(account.tally.flow[0].highest, 99999);
	account_close(&account);
}

TEST(account_bounds_numbers_by_their_count)
{
	struct account account;

	open_bound(&account, &options);
	add(&account, 0, 99, 20 * MS);
	add(&account, 1, 100, 20 * MS);
	add(&account, 1, UINT32_MAX, 20 * MS);
	CHECK_EQUAL(account.tally.unique, 1);
	CHECK_EQUAL(account.tally.beyond, 2);
	CHECK_EQUAL(account.tally.flow[1].highest, -1);
	CHECK_EQUAL(account.tally.bin[3].packets, 1);
	account_close(&account);
}

/* Number 50 is due 100 us after the start, and comes 500 ns sooner at most. */
TEST(account_bounds_numbers_by_the_time)
{
	struct account account;

	open_bound(&account, &options);
	add(&account, 0, 50, 10 * MS + 99499);
	CHECK_EQUAL(account.tally.beyond, 1);
	add(&account, 0, 50, 10 * MS + 99500);
	CHECK_EQUAL(account.tally.beyond, 1);
	CHECK_EQUAL(account.tally.unique, 1);
	add(&account, 1, 0, 10 * MS);
	CHECK_EQUAL(account.tally.unique, 2);
	account_close(&account);
}

/* Of a stray within the bound the ledger remembers that it came, and nothing else is different. */
TEST(account_a_stray_within_the_bound)
{
	struct tally_options kept = options;
	struct account account;
	struct fault fault;

	kept.ledger = 5000;
	kept.bound = (struct bound){ .numbers = 5000 };
	CHECK_EQUAL(account_open(&account, &kept, &fault), 0);
	account_start(&account, 10 * MS);
	for (uint32_t number = 0; number < 5000; number++) {
		if (number == 10)
			add(&account, 0, 4000, 10 * MS);
		add(&account, 0, number, 10 * MS + number);
	}
	CHECK_EQUAL(account.tally.unique, 5000);
	CHECK_EQUAL(account.tally.duplicated, 1);
	CHECK_EQUAL(account.tally.reordered, 0);
	account_close(&account);
}

/* Of a wrong tag it matters whether the rest is as it would be: then it may have been ours. */
TEST(account_with_tags)
{
	struct tally_options keyed = options;
	struct account account;
	struct arrival arrival = test_arrival(0, 5, 20 * MS);

	keyed.keyed = true;
	open_bound(&account, &keyed);
	arrival.header.run = 0;
	arrival.header.time_ns &= (1ull << TAG_TIME_BITS) - 1;
	account_add(&account, &arrival);
	CHECK_EQUAL(account.tally.unique, 1);
	CHECK_EQUAL(account.tally.delay.count[histogram_bucket(500)], 1);
	arrival.kind = ARRIVAL_FORGED;
	arrival.header.sequence = 6;
	account_add(&account, &arrival);
	arrival.header.sequence = 100;
	account_add(&account, &arrival);
	arrival.header = (struct header){ .flow = 2, .sequence = 7 };
	account_add(&account, &arrival);
	CHECK_EQUAL(account.tally.received, 1);
	CHECK_EQUAL(account.tally.foreign, 3);
	CHECK_EQUAL(account.tally.beyond, 0);
	CHECK_EQUAL(account.tally.corrupt_by.header, 1);
	account_close(&account);
}
