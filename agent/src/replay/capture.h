// SPDX-License-Identifier: Apache-2.0
/*
 * Reads captures from memory; no length is trusted: pcap (draft-ietf-opsawg-pcap: us and ns,
 * both byte orders) and pcapng (draft-ietf-opsawg-pcapng: sections of either order, several
 * interfaces, enhanced, simple and old packet blocks; other blocks are skipped). A capture that
 * breaks off or contradicts itself is a fault that names file, offset and reason.
 */
#ifndef GM_CAPTURE_H
#define GM_CAPTURE_H

#include "frame/bytes.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAPTURE_PACKET_MAX (256u << 10) /* libpcap's own bound (MAXIMUM_SNAPLEN) */

/* What was captured of one packet. bytes lie inside the capture's memory. */
struct capture_packet {
	uint64_t time_ns; /* since the epoch */
	bool timed; /* a simple packet block has no time, and a damaged one is none */
	uint16_t link; /* LINKTYPE_... */
	uint32_t captured, length; /* bytes at hand; bytes on the wire, at least as many */
	const uint8_t *bytes;
	size_t at; /* where its record begins in the file */
};

/* How an interface of a pcapng section counts its time: ticks of 10^-digits or 2^-bits seconds. */
struct capture_interface {
	uint16_t link;
	uint32_t snap_bytes; /* 0: no bound */
	bool binary;
	uint8_t digits; /* or bits */
	uint64_t offset_ns; /* added to each time, modulo 2^64 */
};

struct capture {
	const char *name; /* of the file, for faults; borrowed */
	const uint8_t *bytes; /* borrowed */
	size_t size, at;
	bool big; /* big-endian: the file, or this section of it */
	int (*next)(struct capture *capture, struct capture_packet *packet, struct fault *fault);
	/* pcap */
	uint16_t link, minor;
	uint32_t tick_ns; /* of the fraction of a second */
	/* pcapng: of this section */
	struct capture_interface *interface;
	size_t interfaces;
};

/* 1: a packet; 0: the end; -EINVAL or -ENOMEM with the fault filled. */
static inline int capture_next(struct capture *capture, struct capture_packet *packet,
			       struct fault *fault)
{
	return capture->next(capture, packet, fault);
}

void capture_close(struct capture *capture);

/* For the two formats alone. */

/* A fault at a place of the file. Is -EINVAL. */
#define capture_fault(capture, fault, at, ...)                                                     \
	(capture_fault_fill(capture, fault, at, __VA_ARGS__), -EINVAL)
__attribute__((format(printf, 4, 5))) void capture_fault_fill(const struct capture *capture,
							      struct fault *fault, size_t at,
							      const char *format, ...);

static inline uint16_t capture_u16(const struct capture *capture, size_t at)
{
	const uint8_t *p = capture->bytes + at;

	return (uint16_t)(capture->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t capture_u32(const struct capture *capture, size_t at)
{
	uint32_t first = capture_u16(capture, at);
	uint32_t second = capture_u16(capture, at + 2);

	return capture->big ? first << 16 | second : second << 16 | first;
}

#endif
