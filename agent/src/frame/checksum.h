// SPDX-License-Identifier: Apache-2.0
/*
 * The Internet checksum (RFC 1071): one's complement sum of big-endian 16-bit words. A sum is kept
 * in 64 bits, so that carries are folded once, at the end.
 */
#ifndef GM_CHECKSUM_H
#define GM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The 16-bit one's complement sum; 0xffff for a whole packet whose checksum is right. */
static inline uint16_t checksum_fold(uint64_t sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16 & 0xffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* Sum of length bytes; an odd last byte counts as followed by a zero byte. At most 16 bits. */
uint64_t checksum_sum(const uint8_t *bytes, size_t length);

#endif
