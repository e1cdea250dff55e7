// SPDX-License-Identifier: Apache-2.0
/* The rules of the sides. */
#include "replay/split.h"
#include "frame/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct network {
	uint8_t bytes[4];
	unsigned int bits;
};

/* RFC 1918, RFC 6598 (behind a provider's NAT), RFC 3927; RFC 4193 and RFC 4291 link-local. */
static const struct network private4[] = {
	{ { 10 }, 8 },	     { { 172, 16 }, 12 },  { { 192, 168 }, 16 },
	{ { 100, 64 }, 10 }, { { 169, 254 }, 16 },
};
static const struct network private6[] = { { { 0xfc }, 7 }, { { 0xfe, 0x80 }, 10 } };

#define MEMBERS(list) (sizeof(list) / sizeof((list)[0]))

static bool within(const uint8_t *address, const uint8_t *network, unsigned int bits)
{
	unsigned int whole = bits / 8;
	unsigned int rest = bits % 8;

	if (memcmp(address, network, whole) != 0)
		return false;
	return !rest || (address[whole] ^ network[whole]) >> (8 - rest) == 0;
}

static bool any(const uint8_t *address, const struct network *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (within(address, list[i].bytes, list[i].bits))
			return true;
	return false;
}

static bool is_private(int family, const uint8_t *address)
{
	return family == 4 ? any(address, private4, MEMBERS(private4))
			   : any(address, private6, MEMBERS(private6));
}

/* Multicast, and of IPv4 the limited broadcast and what is reserved. */
static bool is_group(int family, const uint8_t *address)
{
	return family == 4 ? address[0] >= 224 : address[0] == 0xff;
}

static int parse_network(struct split *split, const char *word, const char *slash)
{
	struct fault ignored;
	char address[64];
	char *end;
	unsigned long bits = strtoul(slash + 1, &end, 10);
	size_t length = (size_t)(slash - word);

	if (length >= sizeof(address) || end == slash + 1 || *end)
		return -EINVAL;
	memcpy(address, word, length);
	address[length] = '\0';
	split->family = strchr(address, ':') ? 6 : 4;
	if (bits > (split->family == 4 ? 32 : 128))
		return -EINVAL;
	split->bits = (unsigned int)bits;
	return address_parse(split->family, address, split->network, "split", &ignored);
}

int split_parse(struct split *split, const char *word, struct fault *fault)
{
	const char *slash = strchr(word, '/');

	*split = (struct split){ .rule = SPLIT_AUTO };
	if (slash && parse_network(split, word, slash) == 0)
		split->rule = SPLIT_NETWORK;
	else if (strcmp(word, "client") == 0)
		split->rule = SPLIT_CLIENT;
	else if (strcmp(word, "private") == 0)
		split->rule = SPLIT_PRIVATE;
	else if (strcmp(word, "auto") != 0)
		return fault_set(fault, -EINVAL, "split",
				 "auto, client, private, or the LAN side's network as 10.0.0.0/8",
				 "\"%.60s\" is no rule for the sides", word);
	return 0;
}

/* 1: the sender alone; 0: the receiver alone; -1: both or none. */
static int only(bool sender, bool receiver)
{
	if (sender == receiver)
		return -1;
	return sender;
}

static int by_rule(const struct split *split, const struct packet_view *view)
{
	switch (split->rule) {
	case SPLIT_AUTO:
	case SPLIT_PRIVATE:
		return only(is_private(view->family, view->source),
			    is_private(view->family, view->destination));
	case SPLIT_NETWORK:
		if (split->family != view->family)
			return -1;
		return only(within(view->source, split->network, split->bits),
			    within(view->destination, split->network, split->bits));
	default:
		return -1;
	}
}

int split_first(const struct split *split, const struct packet_view *view)
{
	int side = by_rule(split, view);

	if (is_group(view->family, view->source))
		return -1;
	if (is_group(view->family, view->destination) && side != 1)
		return split->rule == SPLIT_AUTO || split->rule == SPLIT_CLIENT ? 1 : -1;
	if (side < 0 && (split->rule == SPLIT_AUTO || split->rule == SPLIT_CLIENT))
		return !view->answer;
	return side;
}
