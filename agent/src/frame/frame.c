// SPDX-License-Identifier: Apache-2.0
/* Frames: what is written once, and what is filled in for each packet. */
#include "frame/frame.h"
#include "frame/checksum.h"
#include "frame/mark.h"
#include "frame/tagged.h"

#include <string.h>

#define PROTOCOL_UDP 17
#define HOP_LIMIT 64

static void build_ipv4(struct frame *frame, const struct route *route, uint8_t *ip)
{
	ip[0] = 0x45;
	mark_write(ip, route->mark);
	/* Don't fragment, identification 0: an atomic packet (RFC 6864 section 4.1). */
	ip[6] = 0x40;
	ip[8] = HOP_LIMIT;
	ip[9] = PROTOCOL_UDP;
	memcpy(ip + 12, route->source, 4);
	memcpy(ip + 16, route->destination, 4);
	frame->source_last = route->source[3];
	frame->destination_last = route->destination[3];
	frame->ip_sum = (uint32_t)checksum_sum(ip, IPV4_BYTES);
	frame->udp_sum = (uint32_t)checksum_sum(ip + 12, 8) + PROTOCOL_UDP;
}

static void build_ipv6(struct frame *frame, const struct route *route, uint8_t *ip)
{
	ip[0] = 0x60;
	mark_write(ip, route->mark);
	ip[6] = PROTOCOL_UDP;
	ip[7] = HOP_LIMIT;
	memcpy(ip + 8, route->source, 16);
	memcpy(ip + 24, route->destination, 16);
	frame->source_last = route->source[15];
	frame->destination_last = route->destination[15];
	frame->udp_sum = (uint32_t)checksum_sum(ip + 8, 32) + PROTOCOL_UDP;
}

void frame_build(struct frame *frame, const struct route *route, uint8_t *buffer)
{
	*frame = (struct frame){ .family = route->family, .key = route->key };
	memcpy(buffer, route->next_mac, 6);
	memcpy(buffer + 6, route->source_mac, 6);
	be16_store(buffer + 12, route->family == 4 ? 0x0800 : 0x86dd);
	if (route->family == 4)
		build_ipv4(frame, route, buffer + ETHERNET_BYTES);
	else
		build_ipv6(frame, route, buffer + ETHERNET_BYTES);
}

/* A last byte is the low one of its 16-bit word: a step adds itself to the sums. */
static uint32_t steps_of(const struct packet *packet)
{
	return (uint32_t)packet->source_step + packet->destination_step;
}

/* Writes IP's length and last bytes of addresses; returns where UDP begins. */
static uint8_t *fill_ip(const struct frame *frame, const struct packet *packet, uint8_t *ip)
{
	uint32_t packet_bytes = packet->frame_bytes - ETHERNET_BYTES - FCS_BYTES;
	uint8_t source = (uint8_t)(frame->source_last + packet->source_step);
	uint8_t destination = (uint8_t)(frame->destination_last + packet->destination_step);

	if (frame->family == 6) {
		be16_store(ip + 4, (uint16_t)(packet_bytes - IPV6_BYTES));
		ip[23] = source;
		ip[39] = destination;
		return ip + IPV6_BYTES;
	}
	be16_store(ip + 2, (uint16_t)packet_bytes);
	ip[15] = source;
	ip[19] = destination;
	be16_store(ip + 10, (uint16_t)~checksum_fold((uint64_t)frame->ip_sum + packet_bytes +
						     steps_of(packet)));
	return ip + IPV4_BYTES;
}

void frame_fill(const struct frame *frame, const struct packet *packet, uint8_t *buffer)
{
	uint8_t *udp = fill_ip(frame, packet, buffer + ETHERNET_BYTES);
	uint32_t length = packet->frame_bytes - FCS_BYTES - (uint32_t)(udp - buffer);
	uint64_t sum = (uint64_t)frame->udp_sum + steps_of(packet);
	uint16_t checksum;

	be16_store(udp, packet->source_port);
	be16_store(udp + 2, packet->destination_port);
	be16_store(udp + 4, (uint16_t)length);
	sum += packet->source_port + packet->destination_port;
	sum += 2ull * length; /* once here, once in the pseudo header */
	sum += frame->key ? tagged_write(udp + UDP_BYTES, &packet->header, frame->key)
			  : header_write(udp + UDP_BYTES, &packet->header);
	checksum = (uint16_t)~checksum_fold(sum);
	be16_store(udp + 6, checksum ? checksum : 0xffff); /* 0 would mean none (RFC 768) */
}
