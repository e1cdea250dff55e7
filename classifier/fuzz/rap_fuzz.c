// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a message of RAP: it is read, or refused with its byte; what is taken is an order. */
#include "fuzz/fuzz.h"
#include "node/rap.h"

static void take(void *context, const struct order *order)
{
	unsigned int *orders = context;

	REQUIRE(order->key.family == 4 && order->ttl_s);
	REQUIRE(order->key.protocol == CLASSIFY_TCP || order->key.protocol == CLASSIFY_UDP);
	++*orders;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint8_t *copy = input_copy(input);
	struct fault fault = { 0 };
	unsigned int orders = 0, at;

	if (rap_read(copy, size, 30, take, &orders, &fault)) {
		REQUIRE(sscanf(fault.reason, "RAP: byte %u:", &at) == 1);
		REQUIRE(at <= size);
	}
	REQUIRE(orders <= size);
	free(copy);
	return 0;
}
