/* SPDX-License-Identifier: Apache-2.0 */
/* Flow table, timers, token buckets and queues beside plain ones that do the same. */
#include "gm/deficit_round_robin.h"
#include "gm/fair_queue.h"
#include "gm/flow_table.h"
#include "gm/random.h"
#include "gm/timer_wheel.h"
#include "gm/token_bucket.h"
#include "tests/test.h"

#include <string.h>

enum { FLOWS = 400 };

/* Keys that differ in one field each, so that all fields count. */
static struct gm_flow_key key_of(uint32_t number)
{
	struct gm_flow_key key = { 1, 2, 3, 4 };
	uint32_t *fields[] = { &key.source, &key.destination, &key.ports, &key.protocol };

	*fields[number % 4] += number << 4;
	return key;
}

static int all_found(const struct gm_flow_table *table, const uint32_t *values)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < FLOWS; i++) {
		struct gm_flow_key key = key_of(i);
		uint32_t slot = gm_flow_table_find(table, &key);

		if ((slot == GM_FLOW_NONE) != (values[i] == 0))
			return 0;
		if (values[i] && table->flows[slot].value != values[i])
			return 0;
		count += values[i] != 0;
	}
	return table->count == count;
}

static void put(struct gm_flow_table *table, uint32_t *values, uint32_t number, uint32_t value)
{
	struct gm_flow_key key = key_of(number);
	uint32_t slot = gm_flow_table_insert(table, &key);

	if (slot == GM_FLOW_NONE)
		return;
	table->flows[slot].value = value;
	values[number] = value;
}

/* More flows than slots, so that it fills up. */
static void flows_are_those_of_an_array(void)
{
	static uint32_t values[FLOWS];
	struct gm_random random = { 1 };
	struct gm_flow_table table;
	int same = 1;

	memset(values, 0, sizeof(values));
	CHECK(gm_flow_table_init(&table, 301, 7) == 0);
	for (uint32_t i = 1; i < 20000; i++) {
		uint32_t number = gm_random_below(&random, FLOWS);
		struct gm_flow_key key = key_of(number);

		if (gm_random_below(&random, 8) < 5) {
			put(&table, values, number, i);
		} else {
			CHECK(gm_flow_table_remove(&table, &key) == (values[number] != 0));
			values[number] = 0;
		}
		same &= i % 97 || all_found(&table, values);
	}
	CHECK(same);
	gm_flow_table_free(&table);
}

static void a_full_table_refuses_a_flow(void)
{
	struct gm_flow_table table;
	struct gm_flow_key key = key_of(10);

	CHECK(gm_flow_table_init(&table, 8, 0) == 0);
	for (uint32_t i = 0; i < 7; i++) {
		key = key_of(i);
		CHECK(gm_flow_table_insert(&table, &key) != GM_FLOW_NONE);
	}
	key = key_of(7);
	CHECK(gm_flow_table_insert(&table, &key) == GM_FLOW_NONE);
	key = key_of(6);
	CHECK(gm_flow_table_insert(&table, &key) == gm_flow_table_find(&table, &key));
	gm_flow_table_free(&table);
}

static void idle_flows_expire_and_no_others(void)
{
	struct gm_flow_table table;
	uint32_t removed = 0, kept = 0;

	CHECK(gm_flow_table_init(&table, 500, 3) == 0);
	for (uint32_t i = 0; i < FLOWS; i++) {
		struct gm_flow_key key = key_of(i);

		table.flows[gm_flow_table_insert(&table, &key)].seen = UINT32_MAX - 50 + i;
	}
	/* In parts, over a clock that wrapped: those seen more than 300 ago are the first 150. */
	for (int part = 0; part < 10; part++)
		removed += gm_flow_table_expire(&table, 399, 300, 50);
	CHECK(removed == 150 && table.count == FLOWS - 150);
	for (uint32_t i = 150; i < FLOWS; i++) {
		struct gm_flow_key key = key_of(i);

		kept += gm_flow_table_find(&table, &key) != GM_FLOW_NONE;
	}
	CHECK(kept == FLOWS - 150);
	gm_flow_table_free(&table);
}

enum { TIMERS = 64, NEVER = 0 };

/* What runs, by timer: ticks that are left, or NEVER. */
static void tick_list(uint64_t *left, uint8_t *due)
{
	for (int i = 0; i < TIMERS; i++) {
		due[i] = left[i] == 1;
		if (left[i])
			left[i]--;
	}
}

static int due_as_listed(struct gm_timer_wheel *wheel, const uint8_t *due)
{
	uint8_t seen[TIMERS] = { 0 };
	uint32_t timer;

	while ((timer = gm_timer_wheel_due(wheel)) != GM_TIMER_NONE)
		seen[timer]++;
	return memcmp(seen, due, sizeof(seen)) == 0;
}

static const uint32_t delays[] = { 2, 300, 256, 70000, 65536, 1, 257 };

static void timers_are_due_as_in_a_list(void)
{
	uint64_t left[TIMERS] = { 0 };
	struct gm_random random = { 5 };
	struct gm_timer_wheel wheel;
	uint8_t due[TIMERS];
	int same = 1;

	/* The clock wraps on the way. */
	CHECK(gm_timer_wheel_init(&wheel, TIMERS, UINT32_MAX - 100000) == 0);
	for (uint32_t tick = 0; tick < 300000; tick++) {
		uint32_t timer = gm_random_below(&random, TIMERS);
		uint32_t choice = gm_random_below(&random, 64);

		if (choice < 7) {
			uint32_t delay = gm_random_below(&random, delays[choice]);

			gm_timer_wheel_add(&wheel, timer, delay);
			left[timer] = delay ? delay : 1;
		} else if (choice == 7) {
			same &= gm_timer_wheel_cancel(&wheel, timer) == (left[timer] != NEVER);
			left[timer] = NEVER;
		}
		gm_timer_wheel_tick(&wheel);
		tick_list(left, due);
		same &= due_as_listed(&wheel, due);
	}
	CHECK(same);
	gm_timer_wheel_free(&wheel);
}

static void a_timer_far_away_waits(void)
{
	struct gm_timer_wheel wheel;

	CHECK(gm_timer_wheel_init(&wheel, 2, 0x12345) == 0);
	gm_timer_wheel_add(&wheel, 0, UINT32_MAX);
	gm_timer_wheel_add(&wheel, 1, 0x1000000);
	for (uint32_t tick = 1; tick < 0x1000000; tick++)
		gm_timer_wheel_tick(&wheel);
	CHECK(gm_timer_wheel_due(&wheel) == GM_TIMER_NONE);
	gm_timer_wheel_tick(&wheel);
	CHECK(gm_timer_wheel_due(&wheel) == 1);
	CHECK(gm_timer_wheel_due(&wheel) == GM_TIMER_NONE);
	CHECK(gm_timer_wheel_cancel(&wheel, 0) == 1);
	gm_timer_wheel_free(&wheel);
}

static void a_timer_is_cancelled_once(void)
{
	struct gm_timer_wheel wheel;

	CHECK(gm_timer_wheel_init(&wheel, 1, 0) == 0);
	CHECK(gm_timer_wheel_cancel(&wheel, 0) == 0);
	gm_timer_wheel_add(&wheel, 0, 0);
	gm_timer_wheel_add(&wheel, 0, 9);
	gm_timer_wheel_tick(&wheel);
	CHECK(gm_timer_wheel_due(&wheel) == GM_TIMER_NONE);
	CHECK(gm_timer_wheel_cancel(&wheel, 0) == 1);
	CHECK(gm_timer_wheel_cancel(&wheel, 0) == 0);
	gm_timer_wheel_free(&wheel);
}

/* A bucket's credit as a fraction, by small numbers: rate a byte every so many nanoseconds. */
static void a_bucket_is_exact(void)
{
	enum { RATE = 1000000, BURST = 1500 }; /* a byte every 1 000 ns */
	struct gm_random random = { 6 };
	struct gm_token_bucket bucket;
	uint64_t now = 5, thousandths = BURST * 1000U;
	int same = 1;

	gm_token_bucket_init(&bucket, RATE, BURST, now);
	for (int i = 0; i < 100000; i++) {
		uint64_t waited = gm_random_below(&random, i % 10 ? 900000 : 3000000);
		uint32_t bytes = gm_random_below(&random, 1600);
		int conforms;

		now += waited;
		thousandths += waited;
		if (thousandths > BURST * 1000U)
			thousandths = BURST * 1000U;
		conforms = bytes * 1000U <= thousandths;
		same &= gm_token_bucket_take(&bucket, bytes, now) == conforms;
		if (conforms)
			thousandths -= bytes * 1000U;
	}
	CHECK(same);
}

static void a_bucket_waits_for_a_century(void)
{
	struct gm_token_bucket bucket;

	gm_token_bucket_init(&bucket, UINT32_MAX, UINT32_MAX, 0);
	CHECK(gm_token_bucket_take(&bucket, UINT32_MAX, 1) == 1);
	CHECK(gm_token_bucket_take(&bucket, 1, 1) == 0);
	CHECK(gm_token_bucket_take(&bucket, UINT32_MAX, UINT64_MAX / 2) == 1);
	CHECK(gm_token_bucket_take(&bucket, 1, UINT64_MAX / 2) == 0);
	gm_token_bucket_init(&bucket, 1, UINT32_MAX, 0);
	CHECK(gm_token_bucket_take(&bucket, UINT32_MAX, 0) == 1);
	CHECK(gm_token_bucket_take(&bucket, UINT32_MAX, UINT64_MAX) == 1);
}

enum { QUEUES = 4, PACKETS = 4000 };

static void deficit_round_robin_shares_bytes_equally(void)
{
	static const uint32_t lengths[QUEUES] = { 64, 1500, 576, 900 };
	uint64_t sent[QUEUES] = { 0 };
	uint32_t last[QUEUES] = { 0 };
	struct gm_drr drr;

	CHECK(gm_drr_init(&drr, QUEUES, PACKETS, 1500) == 0);
	CHECK(gm_drr_dequeue(&drr) == GM_DRR_NONE);
	for (uint32_t i = 0; i < PACKETS; i++)
		gm_drr_enqueue(&drr, i % QUEUES, i, lengths[i % QUEUES]);
	/* Queue 0 holds 64 000 bytes: until it is empty all are served. */
	while (last[0] < PACKETS - QUEUES) {
		uint32_t packet = gm_drr_dequeue(&drr);

		CHECK(packet >= last[packet % QUEUES]);
		last[packet % QUEUES] = packet;
		sent[packet % QUEUES] += lengths[packet % QUEUES];
	}
	for (int i = 1; i < QUEUES; i++)
		CHECK(sent[i] + 3000 > sent[0] && sent[i] < sent[0] + 3000);
	gm_drr_free(&drr);
}

static void fair_queueing_shares_bytes_by_weight(void)
{
	uint64_t sent[QUEUES] = { 0 };
	struct gm_fair_queue fair;

	CHECK(gm_fair_queue_init(&fair, QUEUES, PACKETS) == 0);
	CHECK(gm_fair_queue_dequeue(&fair) == GM_FAIR_QUEUE_NONE);
	fair.queues[0].cost = 2; /* half the weight */
	for (uint32_t i = 0; i < PACKETS; i++)
		gm_fair_queue_enqueue(&fair, i % QUEUES, i, 100 + i % QUEUES);
	for (int i = 0; i < 1400; i++) {
		uint32_t packet = gm_fair_queue_dequeue(&fair);

		sent[packet % QUEUES] += 100 + packet % QUEUES;
	}
	for (int i = 1; i < QUEUES; i++)
		CHECK(sent[i] + 300 > 2 * sent[0] && sent[i] < 2 * sent[0] + 300);
	gm_fair_queue_free(&fair);
}

/* Every packet comes out once, in its queue's order, whatever the order of putting and taking. */
struct order {
	uint32_t put[QUEUES], taken[QUEUES], queue[PACKETS], number[PACKETS];
};

static int in_order(struct order *order, uint32_t packet)
{
	uint32_t queue = order->queue[packet];

	return order->number[packet] == order->taken[queue]++;
}

static uint32_t next_queue(struct order *order, struct gm_random *random, uint32_t packet)
{
	uint32_t queue = gm_random_below(random, QUEUES);

	order->queue[packet] = queue;
	order->number[packet] = order->put[queue]++;
	return queue;
}

static void queues_keep_their_order(void)
{
	static struct order drr_order, fair_order;
	struct gm_random random = { 8 };
	struct gm_fair_queue fair;
	struct gm_drr drr;
	uint32_t in = 0, out = 0;
	int same = 1;

	CHECK(gm_drr_init(&drr, QUEUES, PACKETS, 300) == 0);
	CHECK(gm_fair_queue_init(&fair, QUEUES, PACKETS) == 0);
	while (out < PACKETS) {
		if (in < PACKETS && (in == out || gm_random_below(&random, 2))) {
			uint32_t length = gm_random_below(&random, 1500);
			uint32_t queue = next_queue(&drr_order, &random, in);

			gm_drr_enqueue(&drr, queue, in, length);
			queue = next_queue(&fair_order, &random, in);
			gm_fair_queue_enqueue(&fair, queue, in++, length);
		} else {
			same &= in_order(&drr_order, gm_drr_dequeue(&drr));
			same &= in_order(&fair_order, gm_fair_queue_dequeue(&fair));
			out++;
		}
	}
	CHECK(same);
	CHECK(gm_drr_dequeue(&drr) == GM_DRR_NONE);
	CHECK(gm_fair_queue_dequeue(&fair) == GM_FAIR_QUEUE_NONE);
	gm_drr_free(&drr);
	gm_fair_queue_free(&fair);
}

static const struct test tests[] = {
	{ "flows are those of an array", flows_are_those_of_an_array },
	{ "a full table refuses a flow", a_full_table_refuses_a_flow },
	{ "idle flows expire and no others", idle_flows_expire_and_no_others },
	{ "timers are due as in a list", timers_are_due_as_in_a_list },
	{ "a timer far away waits", a_timer_far_away_waits },
	{ "a timer is cancelled once", a_timer_is_cancelled_once },
	{ "a bucket is exact", a_bucket_is_exact },
	{ "a bucket waits for a century", a_bucket_waits_for_a_century },
	{ "deficit round robin shares bytes equally", deficit_round_robin_shares_bytes_equally },
	{ "fair queueing shares bytes by weight", fair_queueing_shares_bytes_by_weight },
	{ "queues keep their order", queues_keep_their_order },
};

TESTS_MAIN(tests)
