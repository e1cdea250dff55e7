/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks and bits in portable C. With -mpopcnt a compiler makes one instruction of a count; without
 * it, it stays inline, which a library routine would not.
 */
#ifndef GM_COMMON_BITS_H
#define GM_COMMON_BITS_H

#include <stdint.h>

/* How many bits of x are set. */
static inline uint32_t gm_count32(uint32_t x)
{
	x -= (x >> 1) & UINT32_C(0x55555555);
	x = (x & UINT32_C(0x33333333)) + ((x >> 2) & UINT32_C(0x33333333));
	x = (x + (x >> 4)) & UINT32_C(0x0f0f0f0f);
	return (x * UINT32_C(0x01010101)) >> 24;
}

/* How many bits of x are set. On a processor of 32 bits it is the sum of two halves. */
static inline uint32_t gm_count64(uint64_t x)
{
#if UINTPTR_MAX > 0xffffffff
	x -= (x >> 1) & UINT64_C(0x5555555555555555);
	x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333));
	x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)((x * UINT64_C(0x0101010101010101)) >> 56);
#else
	return gm_count32((uint32_t)x) + gm_count32((uint32_t)(x >> 32));
#endif
}

/* How many of x's bits below bit i are set; i < 32. */
static inline uint32_t gm_rank32(uint32_t x, uint32_t i)
{
	return gm_count32(x & ((UINT32_C(1) << i) - 1));
}

/* How many of x's bits below bit i are set; i < 64. */
static inline uint32_t gm_rank64(uint64_t x, uint32_t i)
{
	return gm_count64(x & ((UINT64_C(1) << i) - 1));
}

/* x with all bits set that are below its highest one. */
static inline uint32_t gm_smear32(uint32_t x)
{
	x |= x >> 1;
	x |= x >> 2;
	x |= x >> 4;
	x |= x >> 8;
	x |= x >> 16;
	return x;
}

/* The number of x's highest set bit; x > 0. */
static inline uint32_t gm_highest32(uint32_t x)
{
	return gm_count32(gm_smear32(x)) - 1;
}

#endif
