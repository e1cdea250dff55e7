// SPDX-License-Identifier: Apache-2.0
/* Big-endian loads and stores, by shifts: the same code is right on either byte order. */
#ifndef GM_BYTES_H
#define GM_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t be16_load(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static inline uint32_t be32_load(const uint8_t *p)
{
	return (uint32_t)be16_load(p) << 16 | be16_load(p + 2);
}

static inline void be16_store(uint8_t *p, uint16_t value)
{
	p[0] = (uint8_t)(value >> 8);
	p[1] = (uint8_t)value;
}

static inline void be32_store(uint8_t *p, uint32_t value)
{
	be16_store(p, (uint16_t)(value >> 16));
	be16_store(p + 2, (uint16_t)value);
}

/* Of a number of any length; the last eight bytes of a longer one. */
static inline uint64_t be_load(const uint8_t *p, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | p[i];
	return value;
}

/* The lowest `bytes` bytes of a number, eight at most. */
static inline void be_store(uint8_t *p, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * (bytes - 1 - i));
}

#endif
