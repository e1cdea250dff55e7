// SPDX-License-Identifier: Apache-2.0
#include "connect/message.h"
#include "connect/tuple.h"
#include "frame/address.h"
#include "tests/test.h"

#include <string.h>

static const struct tuples few = {
	.family = 4,
	.own = { 198, 18, 1, 254 },
	.peer = { 198, 19, 1, 2 },
	.own_count = 3,
	.own_port = 20000,
	.own_ports = 4,
	.peer_port = 6001,
	.peer_ports = 2,
};

static void pick(uint64_t number, struct sockaddr_in *own, struct sockaddr_in *peer)
{
	struct sockaddr_storage source, target;

	tuples_pick(&few, number, &source, &target);
	memcpy(own, &source, sizeof(*own));
	memcpy(peer, &target, sizeof(*peer));
}

/* 24 numbers, 24 pairs; the next one begins again. */
TEST(tuples_are_all_different)
{
	struct sockaddr_in own[25], peer[25];

	CHECK_EQUAL(tuples_count(&few), 24);
	for (uint64_t i = 0; i < 25; i++)
		pick(i, &own[i], &peer[i]);
	for (int i = 0; i < 24; i++)
		for (int j = 0; j < i; j++)
			CHECK(memcmp(&own[i], &own[j], sizeof(own[i])) != 0 ||
			      memcmp(&peer[i], &peer[j], sizeof(peer[i])) != 0);
	CHECK_EQUAL(memcmp(&own[24], &own[0], sizeof(own[0])), 0);
	CHECK_EQUAL(memcmp(&peer[24], &peer[0], sizeof(peer[0])), 0);
}

TEST(tuples_turn_addresses_first_then_own_ports_then_the_peers)
{
	struct sockaddr_in own, peer;

	pick(2, &own, &peer);
	CHECK_EQUAL(be32_load((const uint8_t *)&own.sin_addr), 0xc6120200); /* past a byte's end */
	CHECK_EQUAL(be16_load((const uint8_t *)&own.sin_port), 20000);
	pick(3, &own, &peer);
	CHECK_EQUAL(be16_load((const uint8_t *)&own.sin_port), 20001);
	CHECK_EQUAL(be16_load((const uint8_t *)&peer.sin_port), 6001);
	pick(12, &own, &peer);
	CHECK_EQUAL(be16_load((const uint8_t *)&own.sin_port), 20000);
	CHECK_EQUAL(be16_load((const uint8_t *)&peer.sin_port), 6002);
}

TEST(an_address_after_another_keeps_its_network)
{
	uint8_t six[16] = { 0x20, 1, 0, 2, [15] = 4 };

	address_after(6, six, 250);
	CHECK_EQUAL(six[15], 254);
	CHECK_EQUAL(six[0], 0x20);
	CHECK_EQUAL(six[3], 2);
}

TEST(a_message_has_its_connection_and_time)
{
	uint8_t message[MESSAGE_BYTES];
	uint64_t time_ns;

	message_write(message, 7, 0x123456789abcdef0);
	CHECK(message_read(message, 7, &time_ns));
	CHECK_EQUAL(time_ns, 0x123456789abcdef0);
	CHECK(!message_read(message, 8, &time_ns));
	message[0] ^= 1;
	CHECK(!message_read(message, 7, &time_ns));
}
