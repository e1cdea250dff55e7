// SPDX-License-Identifier: Apache-2.0
#include "frame/order.h"
#include "tests/test.h"

#include <stdlib.h>

static const uint32_t counts[] = { 1, 2, 3, 6, 16, 64, 97, 1024, 99999 };

#define COUNTS (sizeof(counts) / sizeof(*counts))
#define ROUNDS 5

/* A round: each flow once, at the slot that order_slot() says, with the round's number. */
static void check_round(const struct order *order, struct order_place *place, uint32_t round)
{
	uint8_t *seen = calloc(order->flows, 1);

	for (uint32_t slot = 0; slot < order->flows; slot++) {
		CHECK(place->flow < order->flows);
		CHECK_EQUAL(place->number, round);
		CHECK_EQUAL(place->slot, slot);
		if (order->flows < 2000)
			CHECK_EQUAL(order_slot(order, round, place->flow), slot);
		seen[place->flow]++;
		order_next(order, place);
	}
	for (uint32_t flow = 0; flow < order->flows; flow++)
		CHECK_EQUAL(seen[flow], 1);
	free(seen);
}

TEST(order_has_each_flow_once_in_a_round)
{
	for (size_t i = 0; i < COUNTS; i++) {
		for (uint64_t seed = 0; seed < 3; seed++) {
			struct order_place place;
			struct order order;

			order_begin(&order, &place, seed, counts[i]);
			for (uint32_t round = 0; round < ROUNDS; round++)
				check_round(&order, &place, round);
		}
	}
}

TEST(order_without_a_seed_is_round_robin)
{
	struct order_place place;
	struct order order;

	order_begin(&order, &place, 0, 7);
	for (uint32_t i = 0; i < 100; i++) {
		CHECK_EQUAL(place.flow, i % 7);
		CHECK_EQUAL(place.number, i / 7);
		order_next(&order, &place);
	}
}

/* Worked out by hand from PROTOCOL.md; tests/whole/sinks.py has the first round, too. */
TEST(order_is_the_protocols)
{
	static const uint32_t wanted[] = { 1, 8, 5, 2, 9, 6, 3, 0, 7, 4, 7, 8, 9, 0, 1,
					   2, 3, 4, 5, 6, 6, 3, 0, 7, 4, 1, 8, 5, 2, 9 };
	struct order_place place;
	struct order order;

	order_begin(&order, &place, 3, 10);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		CHECK_EQUAL(place.flow, wanted[i]);
		order_next(&order, &place);
	}
}

/* Rounds differ, and a flow stands everywhere as often as anywhere else. */
TEST(order_is_drawn_anew_in_each_round)
{
	uint32_t at[8] = { 0 };
	struct order_place place;
	struct order order;

	order_begin(&order, &place, 42, 8);
	for (uint32_t round = 0; round < 8000; round++)
		at[order_slot(&order, round, 5)]++;
	for (int slot = 0; slot < 8; slot++)
		CHECK(at[slot] > 850 && at[slot] < 1150);
}

TEST(order_counts_each_flow)
{
	struct order_place place;
	struct order order;
	uint64_t seen[9] = { 0 };

	order_begin(&order, &place, 11, 9);
	for (uint64_t tried = 0; tried < 200; tried++) {
		for (uint32_t flow = 0; flow < 9; flow++)
			CHECK_EQUAL(order_count(&order, tried, flow), seen[flow]);
		seen[place.flow]++;
		order_next(&order, &place);
	}
}
