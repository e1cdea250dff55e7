// SPDX-License-Identifier: Apache-2.0
/*
 * Builds the frames that ports send: Ethernet, IPv4 or IPv6, UDP, test header, zeros.
 *
 * A frame is written into a buffer once. What changes from packet to packet (ports, last bytes of
 * addresses, lengths, test header, checksums) is filled in for each. The payload behind the header
 * is zero and adds nothing to the checksum, so filling costs the same at every size.
 */
#ifndef GM_FRAME_H
#define GM_FRAME_H

#include "bpf/siphash.h"
#include "frame/header.h"

#include <stdint.h>

#define ETHERNET_BYTES 14
#define FCS_BYTES 4
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES 8
#define FRAME_MAX 9018 /* with FCS: Ethernet's header and 9 000 bytes of packet */
#define PACKET_MAX (FRAME_MAX - ETHERNET_BYTES - FCS_BYTES)

struct packet {
	uint32_t frame_bytes; /* with FCS */
	uint16_t source_port;
	uint16_t destination_port;
	uint8_t source_step, destination_step; /* added to the addresses' last bytes */
	struct header header; /* .time_ns is set last, just before the packet is handed over */
};

struct route {
	int family; /* 4 or 6 */
	uint8_t source_mac[6];
	uint8_t next_mac[6];
	uint8_t source[16]; /* the first 4 bytes for family 4 */
	uint8_t destination[16];
	uint8_t mark; /* DSCP */
	const struct siphash_key *key; /* headers are tagged by it; NULL: they are not */
};

struct frame {
	int family;
	uint8_t source_last, destination_last; /* last bytes of the addresses */
	uint32_t ip_sum; /* IPv4 header without its length and checksum */
	uint32_t udp_sum; /* pseudo header without the UDP length */
	const struct siphash_key *key; /* the route's */
};

/* Bytes before the UDP payload. */
static inline uint32_t frame_overhead(int family)
{
	return ETHERNET_BYTES + (family == 4 ? IPV4_BYTES : IPV6_BYTES) + UDP_BYTES;
}

/* The smallest frame that holds a test header: 64 (Ethernet's minimum), or 80 for IPv6. */
static inline uint32_t frame_least(int family)
{
	return family == 4 ? 64 : frame_overhead(6) + HEADER_BYTES + FCS_BYTES;
}

/* Writes what never changes into buffer, of FRAME_MAX zero bytes. */
void frame_build(struct frame *frame, const struct route *route, uint8_t *buffer);

/* Fills in one packet. Steps must not carry an address beyond 255 in its last byte. */
void frame_fill(const struct frame *frame, const struct packet *packet, uint8_t *buffer);

#endif
