// SPDX-License-Identifier: Apache-2.0
/* Any text as an address, a MAC and a rule for a capture's sides. */
#include "frame/address.h"
#include "fuzz/fuzz.h"
#include "replay/split.h"

#include <arpa/inet.h>
#include <errno.h>
#include <strings.h>

/* What is read is read again from its own text. */
static void read_address(const char *text, int family)
{
	uint8_t bytes[16], again[16];
	char written[INET6_ADDRSTRLEN];
	struct fault fault = { 0 };
	int error = address_parse(family, text, bytes, "src", &fault);

	REQUIRE(!error || (error == -EINVAL && *fault.reason && *fault.fix));
	if (error)
		return;
	REQUIRE(inet_ntop(family == 4 ? AF_INET : AF_INET6, bytes, written, sizeof(written)));
	REQUIRE(address_parse(family, written, again, "src", &fault) == 0);
	REQUIRE(memcmp(bytes, again, family == 4 ? 4 : 16) == 0);
}

static void read_mac(const char *text)
{
	struct fault fault = { 0 };
	uint8_t mac[6];
	char written[24];
	int error = mac_parse(text, mac, "dst_mac", &fault);

	REQUIRE(!error || (error == -EINVAL && *fault.reason && *fault.fix));
	if (error)
		return;
	snprintf(written, sizeof(written), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	REQUIRE(strcasecmp(text, written) == 0);
}

static void read_split(const char *text)
{
	struct fault fault = { 0 };
	struct split split;
	int error = split_parse(&split, text, &fault);

	REQUIRE(!error || (error == -EINVAL && *fault.reason && *fault.fix));
	if (!error && split.rule == SPLIT_NETWORK)
		REQUIRE(split.bits <= (split.family == 4 ? 32 : 128));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);

	REQUIRE(text);
	if (size)
		memcpy(text, data, size);
	read_address(text, 4);
	read_address(text, 6);
	read_mac(text);
	read_split(text);
	free(text);
	return 0;
}
