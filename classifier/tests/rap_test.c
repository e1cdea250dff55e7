// SPDX-License-Identifier: Apache-2.0
/* RAP, version 1: a message as it was published, and what is no message. */
#include "node/rap.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define TEMPLATE_AT 12
#define RECORDS_AT 56
#define KIND_AT 68

/* Put together by hand from the protocol's tables (FreeBSD's ip_diffuse_export.h): a flow of UDP. */
static const uint8_t published[130] =
	"\x00\x01\x00\x82\x00\x00\x00\x07\x00\x00\x00\x09"
	"\x00\x01\x00\x2c\x01\x00\x00\x00\x80\x02\x00\x08\x00\x0c\x00\x01\x00\x02\x00\x03\x00\x04"
	"\x00\x05\x00\x10\x00\x11\xc0\x00\x00\x0d\x00\x0e\x80\x00\x00\x08\x00\x0f\x80\x01\x00\x10"
	"\x01\x00\x00\x4a"
	"export1\0\x00\xc0\x00\x02\x01\xc6\x33\x64\x02\x6d\x38\x6d\x39\x11\x00\x00\x00\x14\x00\x00"
	"\x00\x02\x0b"
	"fpsgame\0\x00\x01\x01\x00\x3cpipe\0\0\0\0\x00\x01"
	"1\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

struct heard {
	struct order order;
	unsigned int orders;
};

static void take(void *context, const struct order *order)
{
	struct heard *heard = context;

	heard->order = *order;
	heard->orders++;
}

static int give(struct heard *heard, const uint8_t *bytes, size_t length)
{
	struct fault fault = { 0 };
	int error;

	*heard = (struct heard){ 0 };
	error = rap_read(bytes, length, 30, take, heard, &fault);
	CHECK(!error || (*fault.reason && *fault.fix));
	return error;
}

TEST(a_published_add_is_read)
{
	const struct order *order;
	struct heard heard;

	CHECK_EQUAL(give(&heard, published, sizeof(published)), 0);
	CHECK_EQUAL(heard.orders, 1);
	order = &heard.order;
	CHECK_EQUAL(order->action, ORDER_PREFER);
	CHECK_EQUAL(order->ttl_s, 60);
	CHECK_EQUAL(ntohl(order->key.lan[0]), 0xc0000201);
	CHECK_EQUAL(ntohl(order->key.wan[0]), 0xc6336402);
	CHECK_EQUAL(ntohs(order->key.lan_port), 27960);
	CHECK_EQUAL(ntohs(order->key.wan_port), 27961);
	CHECK_EQUAL(order->key.protocol, CLASSIFY_UDP);
}

TEST(a_remove_ends_it_and_what_is_more_is_passed_over)
{
	uint8_t bytes[sizeof(published)];
	struct heard heard;

	memcpy(bytes, published, sizeof(bytes));
	bytes[KIND_AT] = 1;
	CHECK_EQUAL(give(&heard, bytes, sizeof(bytes)), 0);
	CHECK_EQUAL(heard.order.action, ORDER_NO_MORE);
	bytes[KIND_AT] = 2;
	CHECK_EQUAL(give(&heard, bytes, sizeof(bytes)), 0);
	CHECK_EQUAL(heard.orders, 0);
}

TEST(what_is_written_has_the_published_template_and_is_read)
{
	uint8_t bytes[ORDER_MOST];
	struct order orders[RAP_ORDERS_MOST];
	struct heard heard;
	size_t length;

	CHECK_EQUAL(give(&heard, published, sizeof(published)), 0);
	for (size_t i = 0; i < RAP_ORDERS_MOST; i++)
		orders[i] = heard.order;
	length = rap_write(bytes, 7, 9, orders, 1, "fpsgame");
	CHECK_EQUAL(length, sizeof(published));
	CHECK(memcmp(bytes, published, RECORDS_AT + 4) == 0);
	length = rap_write(bytes, 8, 9, orders, RAP_ORDERS_MOST, "a-name-of-31-letters-not-longer");
	CHECK(length <= sizeof(bytes));
	CHECK_EQUAL(give(&heard, bytes, length), 0);
	CHECK_EQUAL(heard.orders, RAP_ORDERS_MOST);
	CHECK_EQUAL(heard.order.ttl_s, 60);
}

TEST(a_malformed_rap_message_is_refused)
{
	static const struct {
		unsigned int at, value;
	} faults[] = {
		{ 1, 2 }, /* another version */
		{ 3, 0x83 }, /* longer than what came */
		{ 3, 0x80 }, { 15, 3 }, /* a set shorter than its head */
		{ 16, 0 }, /* a template's number */
		{ 25, 99 }, /* an element of no known length */
		{ 23, 0 },   { 90, 0xff }, /* names that do not fit */
		{ 90, 0 },
	};
	struct heard heard;

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		uint8_t bytes[sizeof(published)];

		memcpy(bytes, published, sizeof(bytes));
		bytes[faults[i].at] = (uint8_t)faults[i].value;
		CHECK_EQUAL(give(&heard, bytes, sizeof(bytes)), -EBADMSG);
	}
	CHECK_EQUAL(give(&heard, published, 11), -EBADMSG);
}
