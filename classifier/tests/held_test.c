// SPDX-License-Identifier: Apache-2.0
/* The flows that an action node holds: a full table keeps what it has, until that ends. */
#include "node/held.h"
#include "tests/test.h"

#include <arpa/inet.h>

#define NOW 100 /* s */
#define END 130

/* A flow of its own for each number; odd ones are of IPv6. */
static struct flow_key made_key(uint32_t number)
{
	struct flow_key key = { .protocol = CLASSIFY_UDP, .family = number % 2 ? 6 : 4 };

	key.lan[0] = htonl(0x0a4d0002);
	key.wan[0] = htonl(number);
	key.lan_port = htons(5000);
	key.wan_port = htons(6000);
	return key;
}

static bool take(struct held *held, uint32_t number, uint32_t end_s, uint32_t now_s)
{
	const struct flow_key key = made_key(number);

	return held_take(held, &key, HELD_KEYED, end_s, now_s, HELD_FLOWS);
}

static bool drop(struct held *held, uint32_t number)
{
	const struct flow_key key = made_key(number);

	return held_drop(held, &key, HELD_KEYED, NOW);
}

/* Flows 0 to HELD_FLOWS - 1, which all end at END. */
static void fill(struct held *held)
{
	unsigned int taken = 0;

	CHECK_EQUAL(held_open(held), 0);
	for (uint32_t i = 0; i < HELD_FLOWS; i++)
		taken += take(held, i, END, NOW);
	CHECK_EQUAL(taken, HELD_FLOWS);
}

TEST(a_full_table_takes_no_new_flow_of_either_family)
{
	struct held held;

	fill(&held);
	CHECK(!take(&held, HELD_FLOWS, END, NOW));
	CHECK(!take(&held, HELD_FLOWS + 1, END, NOW));
	CHECK(!take(&held, HELD_FLOWS, END, END - 1));
	CHECK_EQUAL(held.flows, HELD_FLOWS);
	held_close(&held);
}

TEST(a_full_table_takes_renewals)
{
	struct held held;
	unsigned int taken = 0;

	fill(&held);
	for (uint32_t i = 0; i < HELD_FLOWS; i++)
		taken += take(&held, i, END + 10, NOW + 1);
	CHECK_EQUAL(taken, HELD_FLOWS);
	CHECK(!take(&held, HELD_FLOWS, END + 10, END));
	CHECK(take(&held, HELD_FLOWS, END + 20, END + 10));
	held_close(&held);
}

TEST(the_end_of_a_flow_makes_room_for_one)
{
	struct held held;

	fill(&held);
	CHECK(take(&held, 7, NOW + 1, NOW));
	CHECK(take(&held, 8, NOW + 2, NOW));
	CHECK(!take(&held, HELD_FLOWS, END, NOW));
	CHECK(take(&held, HELD_FLOWS, END, NOW + 1));
	CHECK(!take(&held, HELD_FLOWS + 1, END, NOW + 1));
	CHECK(take(&held, HELD_FLOWS + 1, END, NOW + 2));
	CHECK(!take(&held, 7, END, NOW + 2));
	CHECK_EQUAL(held.flows, HELD_FLOWS);
	held_close(&held);
}

TEST(a_removal_makes_room_for_a_flow_of_the_other_family)
{
	struct held held;

	fill(&held);
	CHECK(!drop(&held, HELD_FLOWS));
	CHECK(drop(&held, 4));
	CHECK(!drop(&held, 4));
	CHECK(take(&held, HELD_FLOWS + 1, END, NOW));
	CHECK(!take(&held, 4, END, NOW));
	held_close(&held);
}

TEST(flows_that_differ_by_family_alone_are_two)
{
	struct held held;
	struct flow_key ipv4 = made_key(2), ipv6 = made_key(2);

	ipv6.family = 6;
	CHECK_EQUAL(held_open(&held), 0);
	CHECK(held_take(&held, &ipv4, HELD_KEYED, END, NOW, 2));
	CHECK(held_take(&held, &ipv6, HELD_KEYED, END, NOW, 2));
	CHECK_EQUAL(held.flows, 2);
	CHECK(held_drop(&held, &ipv4, HELD_KEYED, NOW));
	CHECK(!held_drop(&held, &ipv4, HELD_KEYED, NOW));
	CHECK(held_drop(&held, &ipv6, HELD_KEYED, NOW));
	held_close(&held);
}

TEST(who_may_take_less_renews_what_is_held)
{
	struct held held;
	const struct flow_key new = made_key(HELD_FLOWS), old = made_key(1);

	CHECK_EQUAL(held_open(&held), 0);
	for (uint32_t i = 0; i < 10; i++)
		CHECK(take(&held, i, END, NOW));
	CHECK(!held_take(&held, &new, HELD_KEYED, END, NOW, 10));
	CHECK(held_take(&held, &old, HELD_KEYED, END, NOW, 10));
	CHECK(held_take(&held, &new, HELD_KEYED, END, NOW, 11));
	held_close(&held);
}

/* Each chain has about one flow, so many have several: none of these may be lost with another. */
TEST(every_flow_is_found_after_others_came_and_went)
{
	struct held held;
	unsigned int dropped = 0, taken = 0, lost = 0;

	fill(&held);
	for (uint32_t i = 0; i < HELD_FLOWS; i += 3)
		dropped += drop(&held, i);
	for (uint32_t i = 0; i < dropped; i++)
		taken += take(&held, HELD_FLOWS + i, END, NOW);
	CHECK_EQUAL(taken, dropped);
	for (uint32_t i = 0; i < HELD_FLOWS + dropped; i++)
		lost += drop(&held, i) == (i < HELD_FLOWS && i % 3 == 0);
	CHECK_EQUAL(lost, 0);
	CHECK_EQUAL(held.flows, 0);
	held_close(&held);
}

TEST(a_cleared_table_is_empty)
{
	struct held held;
	unsigned int taken = 0, dropped = 0;

	fill(&held);
	CHECK(drop(&held, 9));
	held_clear(&held);
	CHECK(!drop(&held, 1));
	for (uint32_t i = 0; i < HELD_FLOWS; i++)
		taken += take(&held, HELD_FLOWS + i, END, NOW);
	CHECK_EQUAL(taken, HELD_FLOWS);
	CHECK(!take(&held, 0, END, NOW));
	for (uint32_t i = 0; i < HELD_FLOWS; i++)
		dropped += drop(&held, HELD_FLOWS + i);
	CHECK_EQUAL(dropped, HELD_FLOWS);
	held_close(&held);
}

TEST(who_has_no_key_neither_renews_nor_ends_what_one_with_the_key_holds)
{
	struct held held;
	const struct flow_key key = made_key(1);

	CHECK_EQUAL(held_open(&held), 0);
	CHECK(held_take(&held, &key, HELD_KEYED, END, NOW, HELD_FLOWS));
	CHECK(!held_take(&held, &key, HELD_UNKEYED, END + 100, NOW, HELD_FLOWS));
	CHECK(!held_drop(&held, &key, HELD_UNKEYED, END - 1));
	CHECK(held_take(&held, &key, HELD_UNKEYED, END + 100, END, HELD_FLOWS)); /* it has ended */
	CHECK(held_drop(&held, &key, HELD_UNKEYED, END));
	held_close(&held);
}

TEST(who_has_the_key_takes_over_what_one_without_holds)
{
	struct held held;
	const struct flow_key key = made_key(1);

	CHECK_EQUAL(held_open(&held), 0);
	CHECK(held_take(&held, &key, HELD_UNKEYED, END, NOW, HELD_FLOWS));
	CHECK(held_take(&held, &key, HELD_KEYED, END, NOW, HELD_FLOWS));
	CHECK(!held_drop(&held, &key, HELD_UNKEYED, NOW));
	CHECK(held_drop(&held, &key, HELD_KEYED, NOW));
	CHECK_EQUAL(held.flows, 0);
	held_close(&held);
}
