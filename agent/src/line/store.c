// SPDX-License-Identifier: Apache-2.0
/* A block of memory used round and round. */
#include "line/store.h"

#define LINE 64u /* a frame begins on a cache line of its own */

static uint64_t rounded(uint32_t bytes)
{
	return ((uint64_t)bytes + LINE - 1) / LINE * LINE;
}

uint64_t store_put(struct store *store, uint32_t bytes)
{
	uint64_t length = rounded(bytes);
	uint64_t place = store->end;
	uint64_t left = store->size - place % store->size;

	if (left < length) /* it does not fit before the block's end */
		place += left;
	if (place + length - store->first > store->size)
		return STORE_NONE;
	store->end = place + length;
	return place;
}

void store_release(struct store *store, uint64_t place, uint32_t bytes)
{
	store->first = place + rounded(bytes);
}
