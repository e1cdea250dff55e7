// SPDX-License-Identifier: Apache-2.0
#include "replay/unread.h"
#include "bpf/layer.h"

#include <stdio.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct known {
	uint8_t layer;
	uint16_t number;
	const char *name;
};

/* What captures of homes have most; numbers are IANA's, and of LLC those of IEEE 802. */
static const struct known known[] = {
	{ LAYER_ETHERNET, 0x0806, "ARP" },
	{ LAYER_ETHERNET, 0x8809, "LACP, or another slow protocol" },
	{ LAYER_ETHERNET, 0x8863, "PPPoE discovery" },
	{ LAYER_ETHERNET, 0x888e, "EAPOL" },
	{ LAYER_ETHERNET, 0x88cc, "LLDP" },
	{ LAYER_ETHERNET, 0x88e5, "MACsec" },
	{ LAYER_ETHERNET, 0x88e7, "802.1ah, a frame in a frame" },
	{ LAYER_LLC, 0x4242, "LLC, spanning tree" },
	{ LAYER_LLC, 0xfefe, "LLC, IS-IS" },
	{ LAYER_LLC, 0xffff, "IPX" },
	{ LAYER_PROTOCOL, 1, "ICMP" },
	{ LAYER_PROTOCOL, 2, "IGMP" },
	{ LAYER_PROTOCOL, 4, "IPv4 in IPv4" },
	{ LAYER_PROTOCOL, 41, "IPv6 in IPv4" },
	{ LAYER_PROTOCOL, 47, "GRE" },
	{ LAYER_PROTOCOL, 50, "ESP" },
	{ LAYER_NEXT, 4, "IPv4 in IPv6" },
	{ LAYER_NEXT, 41, "IPv6 in IPv6" },
	{ LAYER_NEXT, 47, "GRE" },
	{ LAYER_NEXT, 50, "ESP" },
	{ LAYER_NEXT, 58, "ICMPv6" },
	{ LAYER_NEXT, 59, "IPv6, no next header" },
};

static const char *const layer_formats[] = {
	/* of the number */
	[LAYER_ALL] = "all read",
	[LAYER_SHORT] = "cut inside a header",
	[LAYER_LINK] = "link type %u",
	[LAYER_ETHERNET] = "Ethernet type 0x%04X",
	[LAYER_LLC] = "LLC, DSAP and SSAP 0x%04X",
	[LAYER_SNAP] = "SNAP, organisation that ends in 0x%04X",
	[LAYER_PPPOE] = "PPPoE session, code 0x%02X",
	[LAYER_SESSION] = "PPPoE session, protocol 0x%04X",
	[LAYER_PPP] = "PPP, protocol 0x%04X",
	[LAYER_MPLS] = "MPLS, no IP behind its labels",
	[LAYER_VERSION] = "IP version %u",
	[LAYER_PROTOCOL] = "IPv4, protocol %u",
	[LAYER_NEXT] = "IPv6, next header %u",
	[LAYER_DEEP] = "more than 8 headers in each other",
};

const char *unread_name(char text[UNREAD_NAME_MOST], uint8_t layer, uint16_t number)
{
	for (size_t i = 0; i < COUNT(known); i++)
		if (known[i].layer == layer && known[i].number == number)
			return known[i].name;
	snprintf(text, UNREAD_NAME_MOST, layer_formats[layer], number);
	return text;
}

void unread_add(struct unread *unread, const struct packet_view *view)
{
	size_t i = 0;

	while (i < unread->kinds &&
	       (unread->kind[i].layer != view->unread || unread->kind[i].number != view->number))
		i++;
	if (i == UNREAD_KINDS) {
		unread->others++;
		return;
	}
	if (i == unread->kinds) {
		unread->kind[i].layer = view->unread;
		unread->kind[i].number = view->number;
		unread->kinds++;
	}
	unread->kind[i].packets++;
}
