/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/packet.h"

#include <string.h>

enum { ETHERNET = 14, TAG = 4, IPV4 = 20, IPV6 = 40, EXTENSION = 8, UDP = 8, TCP = 20 };
enum { TYPE_VLAN = 0x8100, TYPE_SERVICE = 0x88a8, TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd };
enum { HOP_BY_HOP = 0, ROUTING = 43, FRAGMENT = 44, AUTHENTICATION = 51, DESTINATION = 60 };

/* The ports, where the packet has a transport header that begins at `at`. */
static enum gm_packet_fault transport(struct gm_packet *packet, const uint8_t *frame, uint32_t at)
{
	uint32_t least = packet->protocol == GM_PACKET_TCP   ? TCP
			 : packet->protocol == GM_PACKET_UDP ? UDP
							     : 0;

	if (!least)
		return GM_PACKET_OK;
	if (packet->end - at < least)
		return GM_PACKET_SHORT;
	packet->transport = at;
	packet->source_port = gm_packet_u16(frame + at);
	packet->destination_port = gm_packet_u16(frame + at + 2);
	return GM_PACKET_OK;
}

static enum gm_packet_fault ipv4(struct gm_packet *packet, const uint8_t *frame, uint32_t length)
{
	const uint8_t *header = frame + packet->network;
	uint32_t room = length - packet->network;
	uint32_t size, total;

	if (room < IPV4)
		return GM_PACKET_SHORT;
	size = 4U * (header[0] & 15);
	total = gm_packet_u16(header + 2);
	if (header[0] >> 4 != 4 || size < IPV4 || total < size)
		return GM_PACKET_WRONG;
	if (total > room)
		return GM_PACKET_SHORT;
	packet->version = 4;
	packet->protocol = header[9];
	packet->end = packet->network + total;
	if (gm_packet_u16(header + 6) & 0x1fff)
		return GM_PACKET_OK; /* a later fragment has no ports */
	return transport(packet, frame, packet->network + size);
}

static int is_extension(uint8_t protocol)
{
	return protocol == HOP_BY_HOP || protocol == ROUTING || protocol == FRAGMENT ||
	       protocol == AUTHENTICATION || protocol == DESTINATION;
}

/* How long an extension header is (RFC 8200, 4; RFC 4302, 2.2). */
static uint32_t extension(const uint8_t *header, uint8_t protocol)
{
	if (protocol == FRAGMENT)
		return EXTENSION;
	return protocol == AUTHENTICATION ? 4U * (header[1] + 2U) : 8U * (header[1] + 1U);
}

static enum gm_packet_fault ipv6(struct gm_packet *packet, const uint8_t *frame, uint32_t length)
{
	const uint8_t *header = frame + packet->network;
	uint32_t room = length - packet->network;
	uint32_t at = packet->network + IPV6;

	if (room < IPV6)
		return GM_PACKET_SHORT;
	if (header[0] >> 4 != 6)
		return GM_PACKET_WRONG;
	if (gm_packet_u16(header + 4) > room - IPV6)
		return GM_PACKET_SHORT;
	packet->version = 6;
	packet->protocol = header[6];
	packet->end = at + gm_packet_u16(header + 4);
	while (is_extension(packet->protocol)) {
		uint8_t protocol = packet->protocol;

		if (packet->end - at < EXTENSION)
			return GM_PACKET_SHORT;
		header = frame + at;
		packet->protocol = header[0];
		if (protocol == FRAGMENT && gm_packet_u16(header + 2) & 0xfff8)
			return GM_PACKET_OK; /* a later fragment has no ports */
		if (extension(header, protocol) > packet->end - at)
			return GM_PACKET_SHORT;
		at += extension(header, protocol);
	}
	return transport(packet, frame, at);
}

enum gm_packet_fault gm_packet_parse(struct gm_packet *packet, const uint8_t *frame,
				     uint32_t length)
{
	memset(packet, 0, sizeof(*packet));
	if (length < ETHERNET)
		return GM_PACKET_SHORT;
	packet->network = ETHERNET;
	packet->type = gm_packet_u16(frame + ETHERNET - 2);
	while (packet->type == TYPE_VLAN || packet->type == TYPE_SERVICE) {
		if (length - packet->network < TAG)
			return GM_PACKET_SHORT;
		if (packet->tags++ == 2)
			return GM_PACKET_WRONG;
		packet->type = gm_packet_u16(frame + packet->network + 2);
		packet->network += TAG;
	}
	if (packet->type == TYPE_IPV4)
		return ipv4(packet, frame, length);
	if (packet->type == TYPE_IPV6)
		return ipv6(packet, frame, length);
	return GM_PACKET_OTHER;
}
