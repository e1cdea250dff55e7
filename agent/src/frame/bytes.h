// SPDX-License-Identifier: Apache-2.0
/* Big-endian loads and stores, by shifts: the same code is right on either byte order. */
#ifndef GM_BYTES_H
#define GM_BYTES_H

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

#endif
