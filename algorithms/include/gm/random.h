/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitmix64: the same numbers on every processor, from a seed of 64 bits.
 *
 * Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators" (2014),
 * with the finalizer variant 13 of D. Stafford.
 */
#ifndef GM_RANDOM_H
#define GM_RANDOM_H

#include <stdint.h>

struct gm_random {
	uint64_t state; /* the seed, at first */
};

/* A bijection of 64 bits in which every bit of the result depends on all of z. */
static inline uint64_t gm_mix64(uint64_t z)
{
	z ^= z >> 30;
	z *= UINT64_C(0xBF58476D1CE4E5B9);
	z ^= z >> 27;
	z *= UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* The next 64 bits. */
static inline uint64_t gm_random_u64(struct gm_random *random)
{
	random->state += UINT64_C(0x9E3779B97F4A7C15);
	return gm_mix64(random->state);
}

/* The high half of the next 64 bits. */
static inline uint32_t gm_random_u32(struct gm_random *random)
{
	return (uint32_t)(gm_random_u64(random) >> 32);
}

/* A number below `bound`, by multiplication: the bias is at most bound / 2^32. */
static inline uint32_t gm_random_below(struct gm_random *random, uint32_t bound)
{
	return (uint32_t)(((uint64_t)gm_random_u32(random) * bound) >> 32);
}

#endif
