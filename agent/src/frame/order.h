// SPDX-License-Identifier: Apache-2.0
/* The order in which flows take turns (bpf/order.h): its beginning, and the counts of its end. */
#ifndef GM_ORDER_BEGIN_H
#define GM_ORDER_BEGIN_H

#include "bpf/order.h"

#include <stdint.h>

/* Draws the strides, and goes to the first packet. seed 0: flow 0, 1, 2, ... in each round. */
void order_begin(struct order *order, struct order_place *place, uint64_t seed, uint32_t flows);

/* The slot of a flow in a round. */
uint32_t order_slot(const struct order *order, uint32_t round, uint32_t flow);

/* How many of the first `tried` packets are of a flow. */
uint64_t order_count(const struct order *order, uint64_t tried, uint32_t flow);

#endif
