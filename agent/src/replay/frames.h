// SPDX-License-Identifier: Apache-2.0
/*
 * The frames of one direction, rewritten to the lab and ready to be sent before the replay begins:
 * MACs, addresses, ports, TTL 64, lengths and all checksums. A packet's number is in its IPv4
 * identification (modulo 2^16) or IPv6 flow label (modulo 2^20), so that its payload stays as it
 * was captured; a NAT keeps both.
 */
#ifndef GM_FRAMES_H
#define GM_FRAMES_H

#include "replay/trace.h"

#define FRAMES_BYTES_MAX (1u << 30)

/* The addresses of the replay. Those of IPv4 are 4 bytes long. */
struct lab {
	int family;
	uint8_t source_mac[6], next_mac[6];
	uint8_t client[16]; /* client i has this address + i */
	uint8_t far[16];
	bool masked; /* the clients stand behind this address: the far side sends there */
	uint8_t mask[16];
};

struct frames {
	uint8_t *bytes;
	size_t *at; /* frame i: from at[i] to at[i + 1] */
};

/* Address of a client into 4 or 16 bytes. */
void lab_client(const struct lab *lab, uint32_t client, uint8_t *address);

int frames_open(struct frames *frames, const struct trace *trace, const struct lab *lab,
		enum way way, struct fault *fault);
void frames_close(struct frames *frames);

/* Changes the destination port of a packet's frame, and its checksum with it (RFC 1624). */
void frame_redirect(uint8_t *frame, const struct trace_packet *packet, uint16_t port);

#endif
