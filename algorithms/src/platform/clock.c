/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/platform.h"

static inline uint32_t four(uint32_t x, uint32_t y, uint32_t z)
{
	x = (x + y) ^ z;
	x = (x + y) ^ z;
	x = (x + y) ^ z;
	return (x + y) ^ z;
}

uint32_t gm_clock_chain(uint32_t x, uint32_t y, uint32_t z, uint32_t rounds)
{
	for (; rounds; rounds--) {
		x = four(x, y, z);
		x = four(x, y, z);
		x = four(x, y, z);
		x = four(x, y, z);
	}
	return x;
}
