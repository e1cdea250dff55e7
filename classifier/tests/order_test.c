// SPDX-License-Identifier: Apache-2.0
/* Orders from one end to the other; what is forged, sent again or foreign is refused. */
#include "node/order.h"
#include "tests/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

static const uint8_t key[SIPHASH_KEY_BYTES] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
};

struct heard {
	struct order order[4];
	unsigned int orders;
};

static void take(void *context, const struct order *order)
{
	struct heard *heard = context;

	if (heard->orders < 4)
		heard->order[heard->orders] = *order;
	heard->orders++;
}

static struct order made_order(uint8_t family)
{
	struct order order = {
		.action = ORDER_PREFER, .class = 1, .confidence = 93, .ttl_s = 30, .model = 0xdecade
	};

	order.key.family = family;
	order.key.protocol = CLASSIFY_UDP;
	order.key.lan[0] = htonl(0x0a4d0002);
	order.key.wan[0] = htonl(0xc0000201);
	order.key.lan_port = htons(5000);
	order.key.wan_port = htons(6000);
	return order;
}

/* Both ends of a connection, and the first message of it: a flow of each family. */
struct both {
	struct orders orders;
	struct seal seal;
	struct reader reader;
	struct heard heard;
};

static void begin(struct both *both)
{
	struct order ipv4 = made_order(4), ipv6 = made_order(6);

	memset(both, 0, sizeof(*both));
	memcpy(both->seal.key, key, sizeof(key));
	memset(both->seal.nonce, 7, sizeof(both->seal.nonce));
	both->reader.seal = both->seal;
	both->reader.take = take;
	both->reader.context = &both->heard;
	orders_begin(&both->orders, true);
	CHECK(orders_add_name(&both->orders, 1, "realtime"));
	CHECK(orders_add(&both->orders, &ipv4));
	CHECK(orders_add(&both->orders, &ipv6));
	orders_end(&both->orders, &both->seal, 1);
}

static bool is_same(const struct order *a, const struct order *b)
{
	return memcmp(&a->key, &b->key, sizeof(a->key)) == 0 && a->action == b->action &&
	       a->class == b->class && a->confidence == b->confidence && a->ttl_s == b->ttl_s &&
	       a->model == b->model;
}

static int give(struct both *both, struct fault *fault)
{
	*fault = (struct fault){ 0 };
	return order_read(&both->reader, both->orders.message.bytes, both->orders.message.used,
			  fault);
}

TEST(siphash_is_the_published_one)
{
	struct siphash hash;
	uint8_t bytes[15];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	siphash_begin(&hash, key);
	siphash_add(&hash, bytes, 5);
	siphash_add(&hash, bytes + 5, 10);
	CHECK(siphash_end(&hash) == 0xa129ca6149be45e5ull); /* appendix A of the paper */
}

TEST(an_order_arrives_as_it_was_sent)
{
	struct both both;
	struct fault fault;
	struct order ipv4 = made_order(4), ipv6 = made_order(6);

	begin(&both);
	CHECK_EQUAL(order_length(both.orders.message.bytes), both.orders.message.used);
	CHECK_EQUAL(give(&both, &fault), 0);
	CHECK_EQUAL(both.heard.orders, 2);
	CHECK(is_same(&both.heard.order[0], &ipv4));
	CHECK(is_same(&both.heard.order[1], &ipv6));
	CHECK(strcmp(both.reader.name[1], "realtime") == 0);
}

TEST(the_next_message_needs_no_template)
{
	struct both both;
	struct fault fault;
	struct order order = made_order(4);

	begin(&both);
	CHECK_EQUAL(give(&both, &fault), 0);
	orders_begin(&both.orders, false);
	CHECK(orders_add(&both.orders, &order));
	orders_end(&both.orders, &both.seal, 2);
	CHECK_EQUAL(give(&both, &fault), 0);
	CHECK_EQUAL(both.heard.orders, 3);
}

TEST(a_message_that_comes_again_is_refused)
{
	struct both both;
	struct fault fault;

	begin(&both);
	CHECK_EQUAL(give(&both, &fault), 0);
	CHECK_EQUAL(give(&both, &fault), -EACCES);
	CHECK_EQUAL(both.heard.orders, 2);
}

TEST(a_message_of_another_connection_is_refused)
{
	struct both both;
	struct fault fault;

	begin(&both);
	both.reader.seal.nonce[3] ^= 1;
	CHECK_EQUAL(give(&both, &fault), -EACCES);
	CHECK_EQUAL(both.heard.orders, 0);
}

TEST(a_changed_bit_anywhere_is_refused)
{
	struct both both;
	struct fault fault;

	begin(&both);
	for (size_t bit = 0; bit < 8 * both.orders.message.used; bit++) {
		both.orders.message.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK_EQUAL(give(&both, &fault), -EACCES);
		both.orders.message.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	CHECK_EQUAL(both.heard.orders, 0);
	CHECK_EQUAL(give(&both, &fault), 0);
}

TEST(another_key_is_refused)
{
	struct both both;
	struct fault fault;

	begin(&both);
	both.reader.seal.key[0] ^= 1;
	CHECK_EQUAL(give(&both, &fault), -EACCES);
}

TEST(a_full_message_takes_no_more_and_is_of_its_bound)
{
	struct both both;
	struct fault fault;
	struct order order = made_order(4);
	unsigned int count = 0;

	begin(&both);
	orders_begin(&both.orders, true);
	both.orders.records = both.orders.before = 0;
	both.seal.number = 0;
	while (orders_add(&both.orders, &order))
		count++;
	orders_end(&both.orders, &both.seal, 2);
	CHECK(count > 40);
	CHECK(both.orders.message.used <= ORDER_MOST);
	CHECK_EQUAL(give(&both, &fault), 0);
	CHECK_EQUAL(both.heard.orders, count);
}
