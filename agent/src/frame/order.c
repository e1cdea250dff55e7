// SPDX-License-Identifier: Apache-2.0
/* Strides without a common factor with the number of flows, and their inverses. */
#include "frame/order.h"

static uint32_t common_factor(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The next from `from` on, around the circle: 1 is one in any case. */
static uint32_t coprime(uint32_t from, uint32_t flows)
{
	while (common_factor(from, flows) != 1)
		from = from < flows ? from + 1 : 1;
	return from;
}

void order_begin(struct order *order, struct order_place *place, uint64_t seed, uint32_t flows)
{
	*order = (struct order){ .seed = seed, .flows = flows };
	for (uint32_t i = 0; i < ORDER_STRIDES; i++) {
		uint64_t hash = order_hash(~seed, i);

		order->stride[i] = coprime((uint32_t)((hash >> 32) * flows >> 32), flows);
	}
	*place = (struct order_place){ 0 };
	order_round(order, place);
}

/* What times stride is 1, modulo flows: extended Euclid. */
static uint32_t inverse(uint32_t stride, uint32_t flows)
{
	int64_t a = flows, b = stride % flows, x = 0, y = 1;

	while (b) {
		int64_t whole = a / b, rest = a % b, next = x - whole * y;

		a = b;
		b = rest;
		x = y;
		y = next;
	}
	return (uint32_t)(x < 0 ? x + flows : x);
}

uint32_t order_slot(const struct order *order, uint32_t round, uint32_t flow)
{
	struct order_place place = { .number = round };
	uint64_t steps;

	order_round(order, &place);
	steps = (uint64_t)flow + order->flows - place.flow;
	return (uint32_t)(steps % order->flows * inverse(place.stride, order->flows) %
			  order->flows);
}

uint64_t order_count(const struct order *order, uint64_t tried, uint32_t flow)
{
	uint64_t rounds = tried / order->flows, left = tried % order->flows;

	return rounds + (left && order_slot(order, (uint32_t)rounds, flow) < left);
}
