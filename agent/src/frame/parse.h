// SPDX-License-Identifier: Apache-2.0
/* Reads a received frame: whether it is a whole test packet, and which. */
#ifndef GM_PARSE_H
#define GM_PARSE_H

#include "bpf/siphash.h"
#include "frame/header.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum arrival_kind {
	ARRIVAL_TEST, /* carries a test header, and its checksum is right */
	ARRIVAL_FOREIGN, /* anything else that reached our ports */
	ARRIVAL_FORGED, /* foreign, and would be a tagged header but for its tag */
	ARRIVAL_IP_SUM, /* the checksum of its IPv4 header is wrong */
	ARRIVAL_UDP_SUM, /* UDP's is wrong */
	ARRIVAL_NO_SUM, /* it has no UDP checksum */
};

struct arrival {
	enum arrival_kind kind;
	uint32_t frame_bytes; /* with FCS */
	uint16_t source_port;
	uint8_t mark; /* DSCP, or MARK_UNKNOWN */
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	struct header header; /* of ARRIVAL_TEST and ARRIVAL_FORGED */
};

/*
 * Reads a frame (without FCS) of `length` bytes on the wire, `captured` of them at hand, into
 * everything but time_ns. `checked`: the kernel has checked the UDP checksum. `key`: headers are
 * tagged by it; NULL: they are not.
 */
void parse_frame(struct arrival *arrival, const uint8_t *frame, size_t length, size_t captured,
		 bool checked, const struct siphash_key *key);

/* Reads a UDP payload that a socket delivered, so with a good checksum; its mark is not known. */
void parse_payload(struct arrival *arrival, const uint8_t *payload, size_t length, int family,
		   const struct siphash_key *key);

#endif
