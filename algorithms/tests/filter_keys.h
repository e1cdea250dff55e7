/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of the filters' tests, and the bound within which chance leaves a rate. */
#ifndef GM_TESTS_FILTER_KEYS_H
#define GM_TESTS_FILTER_KEYS_H

#include "gm/random.h"

#include <stdint.h>

/* A bijection of 32 bits: fmix32(i) are distinct, and fmix32(2^31 + i) none of the first 2^31. */
static inline uint32_t fmix32(uint32_t h)
{
	h = (h ^ (h >> 16)) * UINT32_C(0x85ebca6b);
	h = (h ^ (h >> 13)) * UINT32_C(0xc2b2ae35);
	return h ^ (h >> 16);
}

static inline double power(double base, int exponent)
{
	double result = 1;

	while (exponent-- > 0)
		result *= base;
	return result;
}

/* |found - Qp| <= 4.5 * sqrt(Qp(1-p)) + 3, without a square root. */
static inline int rate_fits(uint32_t found, uint32_t queries, double p)
{
	double mean = queries * p;
	double off = found > mean ? found - mean : mean - found;

	return off <= 3 || (off - 3) * (off - 3) <= 4.5 * 4.5 * mean * (1 - p);
}

#endif
