// SPDX-License-Identifier: Apache-2.0
#include "stay/order.h"
#include "tests/test.h"

#include <errno.h>

TEST(order_reads_each_kind)
{
	struct order order;

	CHECK_EQUAL(order_read("begin 7 watch", &order), 0);
	CHECK_EQUAL(order.kind, ORDER_BEGIN);
	CHECK_EQUAL(order.number, 7);
	CHECK_TEXT(order.verb, "watch");
	CHECK_EQUAL(order_read("in 7 65536", &order), 0);
	CHECK_EQUAL(order.kind, ORDER_IN);
	CHECK_EQUAL(order.bytes, 65536);
	CHECK_EQUAL(order_read("end 999999999", &order), 0);
	CHECK_EQUAL(order.kind, ORDER_END);
	CHECK_EQUAL(order.number, 999999999);
	CHECK_EQUAL(order_read("kill 0", &order), 0);
	CHECK_EQUAL(order.kind, ORDER_KILL);
}

TEST(order_refuses_what_is_none)
{
	static const char *const lines[] = {
		"",
		"begin",
		"begin 7",
		"begin 7 ",
		"begin x watch",
		"in 7",
		"in 7 0",
		"in 7 -1",
		"in 7 65537",
		"in 7 1 ",
		"end",
		"end 7 8",
		"kill 7x",
		"begin 1 0123456789abcdef",
		"end 1234567890",
		"beginning 7 watch",
	};
	struct order order;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_EQUAL(order_read(lines[i], &order), -EINVAL);
}
