/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranks by Zipf's law with exponent 1: rank r (from 1) has the weight floor(2^32 / r). Whole
 * numbers alone, so that the draws are the same on every processor.
 */
#ifndef GM_COMMON_ZIPF_H
#define GM_COMMON_ZIPF_H

#include "gm/random.h"

#include <stdint.h>

/* Writes the sum of the weights up to each of `count` ranks. */
static inline void gm_zipf_weigh(uint64_t *sums, uint32_t count)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		sum += (UINT64_C(1) << 32) / (i + 1);
		sums[i] = sum;
	}
}

/* The next rank less 1: the place of the first sum above what is drawn. */
static inline uint32_t gm_zipf_draw(const uint64_t *sums, uint32_t count, struct gm_random *random)
{
	uint64_t drawn = gm_random_u64(random) % sums[count - 1];
	uint32_t low = 0;
	uint32_t high = count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (sums[middle] > drawn)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

#endif
