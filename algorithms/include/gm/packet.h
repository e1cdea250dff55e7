/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of an Ethernet frame: VLAN tags (IEEE 802.1Q, 802.1ad), IPv4 (RFC 791) or IPv6 with
 * its extension headers (RFC 8200), and the ports of TCP and UDP. Nothing beyond the frame is read.
 */
#ifndef GM_PACKET_H
#define GM_PACKET_H

#include <stdint.h>

enum gm_packet_fault {
	GM_PACKET_OK,
	GM_PACKET_OTHER, /* neither IPv4 nor IPv6 */
	GM_PACKET_SHORT, /* a header ends behind the frame */
	GM_PACKET_WRONG, /* a field contradicts another */
};

enum { GM_PACKET_ICMP = 1, GM_PACKET_TCP = 6, GM_PACKET_UDP = 17, GM_PACKET_ICMP6 = 58 };

struct gm_packet {
	uint32_t network; /* where the IP header is, in bytes from the frame's begin */
	uint32_t transport; /* where TCP or UDP is; 0: neither, or not the first fragment */
	uint32_t end; /* where the IP packet ends: what follows is Ethernet's padding */
	uint16_t type; /* EtherType behind the tags */
	uint16_t source_port; /* numbers; 0 where there is no transport */
	uint16_t destination_port;
	uint8_t tags; /* VLAN tags */
	uint8_t version; /* 4 or 6 */
	uint8_t protocol; /* behind IPv6's extension headers */
};

/* Reads a frame of `length` bytes (without its checksum). `packet` is whole only if it is OK. */
enum gm_packet_fault gm_packet_parse(struct gm_packet *packet, const uint8_t *frame,
				     uint32_t length);

/* Numbers of 2 and 4 bytes in a packet, the high byte first; any alignment. */
static inline uint16_t gm_packet_u16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline uint32_t gm_packet_u32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

#endif
