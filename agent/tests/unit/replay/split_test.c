// SPDX-License-Identifier: Apache-2.0
/* Which addresses are private, to the last bit of each network. */
#include "frame/address.h"
#include "replay/split.h"
#include "tests/test.h"

#include <errno.h>

/* 1: the address alone is on the LAN side; -1: it is not, as its peer is not. */
static int side_of(const char *rule, const char *address, const char *peer)
{
	struct packet_view view = { .family = strchr(address, ':') ? 6 : 4 };
	struct split split;
	struct fault fault;
	uint8_t ends[2][16];

	CHECK_EQUAL(split_parse(&split, rule, &fault), 0);
	CHECK_EQUAL(address_parse(view.family, address, ends[0], "src", &fault), 0);
	CHECK_EQUAL(address_parse(view.family, peer, ends[1], "dst", &fault), 0);
	view.source = ends[0];
	view.destination = ends[1];
	return split_first(&split, &view);
}

TEST(split_knows_private_networks)
{
	static const char *const inside[] = {
		"10.0.0.0",    "10.255.255.255",  "172.16.0.0", "172.31.255.255",
		"192.168.0.0", "192.168.255.255", "100.64.0.0", "100.127.255.255",
		"169.254.0.0", "169.254.255.255",
	};
	static const char *const outside[] = {
		"9.255.255.255",   "11.0.0.0",	  "172.15.255.255", "172.32.0.0",
		"192.167.255.255", "192.169.0.0", "100.63.255.255", "100.128.0.0",
		"169.253.255.255", "169.255.0.0",
	};
	static const char *const inside6[] = { "fc00::", "fdff::1", "fe80::", "febf:ffff::" };
	static const char *const outside6[] = { "fbff::", "fe00::", "fe7f::", "fec0::" };

	for (size_t i = 0; i < 10; i++) {
		CHECK_EQUAL(side_of("private", inside[i], "8.8.8.8"), 1);
		CHECK_EQUAL(side_of("private", "8.8.8.8", inside[i]), 0);
		CHECK_EQUAL(side_of("private", outside[i], "8.8.8.8"), -1);
	}
	for (size_t i = 0; i < 4; i++) {
		CHECK_EQUAL(side_of("private", inside6[i], "2001:db8::1"), 1);
		CHECK_EQUAL(side_of("private", outside6[i], "2001:db8::1"), -1);
	}
}

TEST(split_leaves_out_groups)
{
	CHECK_EQUAL(side_of("auto", "224.0.0.1", "10.0.0.1"), -1);
	CHECK_EQUAL(side_of("auto", "223.255.255.255", "8.8.8.8"), 1);
	CHECK_EQUAL(side_of("auto", "8.8.8.8", "224.0.0.1"), 1);
	CHECK_EQUAL(side_of("private", "8.8.8.8", "224.0.0.1"), -1);
	CHECK_EQUAL(side_of("private", "10.0.0.1", "224.0.0.1"), 1);
	CHECK_EQUAL(side_of("8.0.0.0/8", "8.8.8.8", "224.0.0.1"), 1);
	CHECK_EQUAL(side_of("auto", "ff02::1", "fe80::1"), -1);
	CHECK_EQUAL(side_of("auto", "2001:db8::1", "ff02::1"), 1);
	CHECK_EQUAL(side_of("private", "2001:db8::1", "ff02::1"), -1);
}

TEST(split_by_a_network_of_any_length)
{
	CHECK_EQUAL(side_of("203.0.113.0/25", "203.0.113.127", "203.0.113.128"), 1);
	CHECK_EQUAL(side_of("203.0.113.0/25", "203.0.113.128", "203.0.113.127"), 0);
	CHECK_EQUAL(side_of("203.0.113.7/32", "203.0.113.7", "203.0.113.6"), 1);
	CHECK_EQUAL(side_of("2001:db8::/33", "2001:db8:7fff::", "2001:db8:8000::"), 1);
	CHECK_EQUAL(side_of("10.0.0.0/8", "2001:db8::1", "2001:db8::2"), -1);
	CHECK_EQUAL(side_of("0.0.0.0/0", "8.8.8.8", "9.9.9.9"), -1);
}
