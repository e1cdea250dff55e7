/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Internet checksum: the complement of the ones'-complement sum of 16-bit words, whole (RFC
 * 1071) and incremental (RFC 1624, equation 3). Values are numbers; a packet holds them with the
 * high byte first. Any alignment.
 */
#ifndef GM_CHECKSUM_H
#define GM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of `count` bytes (below 2^32); an odd last byte is the high half of a word. */
uint16_t gm_checksum(const uint8_t *bytes, size_t count);

/* The checksum of a text in which a word `old` became `now`. */
static inline uint16_t gm_checksum_update(uint16_t checksum, uint16_t old, uint16_t now)
{
	uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~old + now;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* The same of two words, as of an IPv4 address. */
static inline uint16_t gm_checksum_update32(uint16_t checksum, uint32_t old, uint32_t now)
{
	uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~(old >> 16) + (uint16_t)~old +
		       (now >> 16) + (now & 0xffff);

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

#endif
