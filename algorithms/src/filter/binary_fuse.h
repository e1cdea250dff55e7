/* SPDX-License-Identifier: Apache-2.0 */
/* A key's tag and slots, for every implementation of the binary fuse filter. */
#ifndef GM_FILTER_BINARY_FUSE_H
#define GM_FILTER_BINARY_FUSE_H

#include "gm/binary_fuse.h"
#include "gm/random.h"

enum { GM_FUSE_BLOCK = 64 }; /* keys that a vector path takes at once */

struct gm_fuse_slots {
	uint32_t first, second, third;
};

/* The high 64 bits of hash * span, which is below 2^96: two products of 32 by 32 bits do. */
static inline uint32_t gm_fuse_first(uint64_t hash, uint32_t span)
{
	uint64_t low = (hash & 0xffffffff) * span;

	return (uint32_t)(((hash >> 32) * span + (low >> 32)) >> 32);
}

static inline struct gm_fuse_slots gm_fuse_slots(const struct gm_binary_fuse *fuse, uint64_t hash)
{
	uint32_t mask = fuse->segment - 1;
	struct gm_fuse_slots slots;

	slots.first = gm_fuse_first(hash, fuse->span);
	slots.second = (slots.first + fuse->segment) ^ ((uint32_t)(hash >> 18) & mask);
	slots.third = (slots.first + 2 * fuse->segment) ^ ((uint32_t)hash & mask);
	return slots;
}

static inline uint8_t gm_fuse_tag(uint64_t hash)
{
	return (uint8_t)(hash ^ (hash >> 32));
}

/*
 * The three tags of each key, put together. A function of its own and not of a file that is
 * compiled for AVX-512: there a compiler makes vectors of these loads, which are slower.
 */
void gm_fuse_rest(const struct gm_binary_fuse *fuse, const uint32_t at[3][GM_FUSE_BLOCK],
		  uint8_t *rest);

/* `count` keys by AVX-512; the keys that are left after the last 64 are not done. */
size_t gm_binary_fuse_find_avx512(const struct gm_binary_fuse *fuse, const uint64_t *keys,
				  size_t count, uint8_t *answers);

#endif
