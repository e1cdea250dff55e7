// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The order of the flows: round by round, each flow once in a round. With a seed each round has an
 * order of its own: it begins at a flow and goes on by a stride, both drawn anew. A queue that
 * drops what comes when it is full is in step with packets that always come in one order, and then
 * drops those of the same flows each time.
 *
 * Shared by the agent, which sends in it and reports the sink's ledger in it (frame/order.h,
 * udp/sink_ledger.c), and by live.bpf.c. Nothing is kept for each flow.
 */
#ifndef GM_ORDER_H
#define GM_ORDER_H

#include "shared.h"

#define ORDER_STRIDES 16 /* a power of two */

struct order {
	__u64 seed; /* 0: flow 0, 1, 2, ... in each round */
	__u32 flows;
	__u32 stride[ORDER_STRIDES]; /* each without a common factor with flows, and at most that */
	__u32 unused;
};

/* Where the sender stands: the next packet's flow, and its number in it, which is the round. */
struct order_place {
	__u32 flow, number;
	__u32 slot; /* in the round */
	__u32 stride; /* of the round */
};

/* Output `at` of SplitMix64 (Steele, Lea, Flood 2014), which is random access. */
SHARED __u64 order_hash(__u64 seed, __u64 at)
{
	__u64 z = seed + (at + 1) * 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* To the first packet of the round place->number. */
SHARED void order_round(const struct order *order, struct order_place *place)
{
	__u64 hash;

	place->slot = 0;
	place->flow = 0;
	place->stride = 1;
	if (!order->seed)
		return;
	hash = order_hash(order->seed, place->number);
	place->flow = (__u32)((hash >> 32) * order->flows >> 32);
	place->stride = order->stride[hash & (ORDER_STRIDES - 1)];
}

/* To the next packet. */
SHARED void order_next(const struct order *order, struct order_place *place)
{
	if (++place->slot >= order->flows) {
		place->number++;
		order_round(order, place);
		return;
	}
	place->flow += place->stride;
	if (place->flow >= order->flows)
		place->flow -= order->flows;
}

#endif
