/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/checksum.h"

#include <string.h>

/* A word as the processor reads it: the sum is the same in any byte order (RFC 1071, 2 (B)). */
static inline uint64_t word(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

/* The sum as a number of 16 bits, its bytes in the order of the packet. */
static uint16_t folded(uint64_t sum)
{
	uint16_t native;
	uint8_t pair[2];

	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	native = (uint16_t)sum;
	memcpy(pair, &native, sizeof(pair));
	return (uint16_t)(pair[0] << 8 | pair[1]);
}

uint16_t gm_checksum(const uint8_t *bytes, size_t count)
{
	uint8_t rest[4] = { 0 };
	uint64_t sum = 0;

	for (; count >= 16; bytes += 16, count -= 16)
		sum += word(bytes) + word(bytes + 4) + word(bytes + 8) + word(bytes + 12);
	for (; count >= 4; bytes += 4, count -= 4)
		sum += word(bytes);
	/* Byte by byte: a call of memcpy for so few costs more than all else. */
	for (size_t i = 0; i < count; i++)
		rest[i] = bytes[i];
	return (uint16_t)~folded(sum + word(rest));
}
