// SPDX-License-Identifier: Apache-2.0
/* Link layers, IP headers and ports of captured frames; no field is trusted. */
#include "replay/packet.h"
#include "frame/frame.h"

#define LINK_NULL 0
#define LINK_ETHERNET 1
#define LINK_RAW_BSD 12 /* what some libpcap wrote for raw IP */
#define LINK_RAW_OPENBSD 14
#define LINK_RAW 101
#define LINK_COOKED 113
#define LINK_IPV4 228
#define LINK_IPV6 229
#define LINK_COOKED_2 276

#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd
#define TYPE_VLAN 0x8100
#define TYPE_QINQ 0x88a8
#define VLAN_BYTES 4
#define COOKED_BYTES 16
#define COOKED_2_BYTES 20
#define NULL_BYTES 4

#define TCP_BYTES 20
#define TCP_SYN_ACK 0x12

const char *const packet_words[PACKET_VERDICTS] = {
	[PACKET_NOT_IP] = "not_ip",	[PACKET_FAMILY] = "family",
	[PACKET_FRAGMENT] = "fragment", [PACKET_PROTOCOL] = "protocol",
	[PACKET_DAMAGED] = "damaged",	[PACKET_TOO_LONG] = "too_long",
	[PACKET_SIDE] = "side",
};

struct cursor {
	const uint8_t *at;
	uint32_t captured, length; /* from here on */
};

static bool skip(struct cursor *cursor, uint32_t bytes)
{
	if (cursor->captured < bytes)
		return false;
	cursor->at += bytes;
	cursor->captured -= bytes;
	cursor->length -= bytes;
	return true;
}

/*
 * A header of so many bytes with the Ethernet type at an offset; VLAN tags may follow Ethernet's.
 */
static bool skip_typed(struct cursor *cursor, uint32_t bytes, uint32_t type_at)
{
	uint16_t type;

	if (cursor->captured < bytes)
		return false;
	type = be16_load(cursor->at + type_at);
	skip(cursor, bytes);
	while ((type == TYPE_VLAN || type == TYPE_QINQ) && cursor->captured >= VLAN_BYTES) {
		type = be16_load(cursor->at + 2);
		skip(cursor, VLAN_BYTES);
	}
	return type == TYPE_IPV4 || type == TYPE_IPV6;
}

/* Past the link layer. PACKET_TAKEN: an IP packet should begin here. */
static enum packet_verdict skip_link(struct cursor *cursor, uint16_t link)
{
	bool ip;

	switch (link) {
	case LINK_ETHERNET:
		ip = skip_typed(cursor, ETHERNET_BYTES, 12);
		break;
	case LINK_COOKED:
		ip = skip_typed(cursor, COOKED_BYTES, 14);
		break;
	case LINK_COOKED_2:
		ip = skip_typed(cursor, COOKED_2_BYTES, 0);
		break;
	case LINK_NULL:
		ip = skip(cursor, NULL_BYTES);
		break;
	case LINK_RAW:
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
	case LINK_IPV4:
	case LINK_IPV6:
		ip = true;
		break;
	default:
		return PACKET_LINK;
	}
	return ip && cursor->captured ? PACKET_TAKEN : PACKET_NOT_IP;
}

static enum packet_verdict read_ipv4(struct packet_view *view, const struct cursor *cursor)
{
	const uint8_t *ip = cursor->at;
	uint32_t total;

	view->header_bytes = (ip[0] & 15u) * 4;
	if (cursor->captured < IPV4_BYTES || view->header_bytes < IPV4_BYTES)
		return PACKET_DAMAGED;
	if (be16_load(ip + 6) & 0x3fff)
		return PACKET_FRAGMENT;
	total = be16_load(ip + 2);
	/* A sender's kernel leaves 0 where the device cuts the packet up (TSO). */
	view->length = total ? total : cursor->length;
	view->protocol = ip[9];
	view->source = ip + 12;
	view->destination = ip + 16;
	return PACKET_TAKEN;
}

static enum packet_verdict read_ipv6(struct packet_view *view, const struct cursor *cursor)
{
	const uint8_t *ip = cursor->at;
	uint32_t payload;

	if (cursor->captured < IPV6_BYTES)
		return PACKET_DAMAGED;
	if (ip[6] == 44)
		return PACKET_FRAGMENT;
	payload = be16_load(ip + 4);
	view->header_bytes = IPV6_BYTES;
	view->length = payload ? IPV6_BYTES + payload : cursor->length;
	view->protocol = ip[6];
	view->source = ip + 8;
	view->destination = ip + 24;
	return PACKET_TAKEN;
}

static enum packet_verdict read_ports(struct packet_view *view)
{
	uint32_t least = view->protocol == PROTOCOL_TCP ? TCP_BYTES : UDP_BYTES;
	const uint8_t *l4 = view->ip + view->header_bytes;

	if (view->protocol != PROTOCOL_TCP && view->protocol != PROTOCOL_UDP)
		return PACKET_PROTOCOL;
	if (view->length < view->header_bytes + least ||
	    view->captured < view->header_bytes + least)
		return PACKET_DAMAGED;
	view->source_port = be16_load(l4);
	view->destination_port = be16_load(l4 + 2);
	if (view->protocol == PROTOCOL_TCP)
		view->answer = (l4[13] & TCP_SYN_ACK) == TCP_SYN_ACK;
	return PACKET_TAKEN;
}

enum packet_verdict packet_read(struct packet_view *view, const struct capture_packet *packet)
{
	struct cursor cursor = { packet->bytes, packet->captured, packet->length };
	enum packet_verdict verdict = skip_link(&cursor, packet->link);

	*view = (struct packet_view){ .ip = cursor.at };
	if (verdict != PACKET_TAKEN)
		return verdict;
	view->family = cursor.at[0] >> 4;
	if (view->family != 4 && view->family != 6)
		return PACKET_NOT_IP;
	verdict = view->family == 4 ? read_ipv4(view, &cursor) : read_ipv6(view, &cursor);
	if (verdict != PACKET_TAKEN)
		return verdict;
	if (view->length > cursor.length)
		return PACKET_DAMAGED;
	/* What is behind the packet is Ethernet's padding. */
	view->captured = cursor.captured < view->length ? cursor.captured : view->length;
	return read_ports(view);
}
