// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as messages of orders that have the right tag, which is the worst that a holder of the
 * key can send: each is read, or refused with a reason, and what is taken is a whole order.
 */
#include "fuzz/fuzz.h"
#include "node/order.h"

static void take(void *context, const struct order *order)
{
	unsigned int *orders = context;

	REQUIRE(order->key.family == 4 || order->key.family == 6);
	REQUIRE(order->key.protocol == CLASSIFY_TCP || order->key.protocol == CLASSIFY_UDP);
	REQUIRE(order->action == ORDER_NO_MORE || order->ttl_s);
	REQUIRE(++*orders <= ORDER_MOST);
}

static void seal(const struct reader *reader, uint8_t *bytes, size_t length)
{
	size_t body = length - ORDER_TAG_BYTES;
	uint64_t tag;

	for (size_t i = 0; i < 4; i++)
		bytes[8 + i] = (uint8_t)(reader->records >> 8 * (3 - i));
	tag = seal_tag(&reader->seal, bytes, body);
	for (size_t i = 0; i < ORDER_TAG_BYTES; i++)
		bytes[body + i] = (uint8_t)(tag >> 8 * (ORDER_TAG_BYTES - 1 - i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct reader reader;
	struct input input = { data, size };
	unsigned int orders;

	memset(&reader, 0, sizeof(reader));
	reader.take = take;
	reader.context = &orders;
	while (input.left > ORDER_HEADER_BYTES) {
		size_t length = order_length(input.at);
		struct input part;
		struct fault fault = { 0 };
		uint8_t *copy;

		if (!length || length > input.left)
			return 0;
		part = input_part(&input, length);
		copy = input_copy(part);
		seal(&reader, copy, length);
		orders = 0;
		if (order_read(&reader, copy, length, &fault)) {
			REQUIRE(*fault.reason && *fault.fix);
			free(copy);
			return 0;
		}
		free(copy);
		for (size_t i = 0; i < 256; i++)
			REQUIRE(memchr(reader.name[i], 0, ORDER_NAME_MOST));
	}
	return 0;
}
