// SPDX-License-Identifier: Apache-2.0
/*
 * The test header at the start of each UDP payload (PROTOCOL.md): 14 bytes, big-endian. Its other
 * form, with a tag, is in frame/tagged.h.
 */
#ifndef GM_HEADER_H
#define GM_HEADER_H

#include "bpf/wraps.h"
#include "frame/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HEADER_BYTES 14
#define HEADER_MAGIC 0xC7
#define HEADER_FLOW_MAX 0xffffff
#define HEADER_TIME_BITS 40

struct header {
	uint8_t run;
	uint32_t flow; /* 24 bits */
	uint32_t sequence;
	uint64_t time_ns; /* CLOCK_MONOTONIC modulo 2^40; tagged: 2^39 */
};

/*
 * Writes the header; returns the sum of its seven 16-bit words for the UDP checksum. They are
 * computed, not read back: loading what was just stored in other widths would stall.
 */
static inline uint32_t header_write(uint8_t *bytes, const struct header *header)
{
	const uint16_t words[HEADER_BYTES / 2] = {
		(uint16_t)(HEADER_MAGIC << 8 | header->run),
		(uint16_t)(header->flow >> 8),
		(uint16_t)((header->flow & 0xff) << 8 | header->sequence >> 24),
		(uint16_t)(header->sequence >> 8),
		(uint16_t)((header->sequence & 0xff) << 8 | (header->time_ns >> 32 & 0xff)),
		(uint16_t)(header->time_ns >> 16),
		(uint16_t)header->time_ns,
	};
	uint32_t sum = 0;

	for (size_t i = 0; i < HEADER_BYTES / 2; i++) {
		be16_store(bytes + 2 * i, words[i]);
		sum += words[i];
	}
	return sum;
}

/* False if it is no test header. */
static inline bool header_read(struct header *header, const uint8_t *bytes, size_t length)
{
	if (length < HEADER_BYTES || bytes[0] != HEADER_MAGIC)
		return false;
	header->run = bytes[1];
	header->flow = (uint32_t)bytes[2] << 16 | be16_load(bytes + 3);
	header->sequence = be32_load(bytes + 5);
	header->time_ns = (uint64_t)bytes[9] << 32 | be32_load(bytes + 10);
	return true;
}

/* One-way delay: arrival less transmit time, modulo 2^bits, as a signed number. */
WRAPS static inline int64_t header_delay(const struct header *header, uint64_t arrival_ns, int bits)
{
	uint64_t difference = (arrival_ns - header->time_ns) << (64 - bits);

	return (int64_t)difference >> (64 - bits);
}

#endif
