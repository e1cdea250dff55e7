/* SPDX-License-Identifier: Apache-2.0 */
/* A key's block, and what its AVX2 path does. */
#ifndef GM_FILTER_BLOCKED_BLOOM_H
#define GM_FILTER_BLOCKED_BLOOM_H

#include "gm/blocked_bloom.h"
#include "gm/random.h"

/* Eight odd numbers, one a word: bit n of a word is the high five bits of a product. */
#define GM_BLOCKED_BLOOM_ODD                                                                       \
	{ 0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,                                          \
	  0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31 }

/* The high half of the hash says which block; the low half says which bits. */
static inline uint32_t gm_blocked_bloom_block(uint64_t hash, uint32_t blocks)
{
	return (uint32_t)(((hash >> 32) * blocks) >> 32);
}

void gm_blocked_bloom_add_avx2(struct gm_blocked_bloom *bloom, const uint64_t *keys, size_t count);
void gm_blocked_bloom_find_avx2(const struct gm_blocked_bloom *bloom, const uint64_t *keys,
				size_t count, uint8_t *answers);

#endif
