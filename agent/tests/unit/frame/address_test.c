// SPDX-License-Identifier: Apache-2.0
#include "frame/address.h"
#include "tests/test.h"

#include <errno.h>

TEST(address_parses)
{
	static const char *const bad[] = {
		"02:00:00:00:00", "02:00:00:00:00:0g", "2:0:0:0:0:1", "02:00:00:00:00:01x", "",
		"020000000001"
	};
	struct fault fault;
	uint8_t bytes[16], mac[6];

	CHECK_EQUAL(address_parse(4, "192.0.2.1", bytes, "src", &fault), 0);
	CHECK(bytes[0] == 192 && bytes[3] == 1);
	CHECK_EQUAL(address_parse(6, "2001:db8::1", bytes, "src", &fault), 0);
	CHECK(bytes[0] == 0x20 && bytes[15] == 1);
	CHECK_EQUAL(address_parse(6, "192.0.2.1", bytes, "src", &fault), -EINVAL);
	CHECK_EQUAL(address_parse(4, "192.0.2", bytes, "src", &fault), -EINVAL);
	CHECK_EQUAL(mac_parse("02:aB:09:00:ff:01", mac, "dst_mac", &fault), 0);
	CHECK(mac[0] == 2 && mac[1] == 0xab && mac[2] == 9 && mac[5] == 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQUAL(mac_parse(bad[i], mac, "dst_mac", &fault), -EINVAL);
}

TEST(address_fills_sockets)
{
	struct sockaddr_storage storage;
	const uint8_t bytes[16] = { 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7 };

	CHECK_EQUAL(address_fill(&storage, 4, bytes, 0x1234), sizeof(struct sockaddr_in));
	CHECK_EQUAL(address_port(&storage), 0x1234);
	CHECK(memcmp(&((struct sockaddr_in *)&storage)->sin_addr, bytes, 4) == 0);
	CHECK_EQUAL(address_fill(&storage, 6, NULL, 9), sizeof(struct sockaddr_in6));
	CHECK_EQUAL(address_port(&storage), 9);
	CHECK_EQUAL(address_fill(&storage, 6, bytes, 9), sizeof(struct sockaddr_in6));
	CHECK_EQUAL(storage.ss_family, AF_INET6);
	CHECK(memcmp(&((struct sockaddr_in6 *)&storage)->sin6_addr, bytes, 16) == 0);
}

TEST(address_families)
{
	struct fault fault;

	CHECK_EQUAL(family_check(4, "family", &fault), 0);
	CHECK_EQUAL(family_check(6, "family", &fault), 0);
	CHECK_EQUAL(family_check(5, "family", &fault), -EINVAL);
}
