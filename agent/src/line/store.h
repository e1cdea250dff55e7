// SPDX-License-Identifier: Apache-2.0
/*
 * Memory for frames that leave it in the order in which they came: one block, used round and round.
 * Places count up and are never used twice.
 */
#ifndef GM_STORE_H
#define GM_STORE_H

#include <stdint.h>

#define STORE_NONE UINT64_MAX

struct store {
	uint8_t *memory; /* the caller's */
	uint64_t size; /* of it, in bytes */
	uint64_t first, end; /* place of the oldest, and behind the newest */
};

/* The place of so many bytes in one piece; STORE_NONE if there is no room. */
uint64_t store_put(struct store *store, uint32_t bytes);

static inline uint8_t *store_at(const struct store *store, uint64_t place)
{
	return store->memory + place % store->size;
}

/* Gives back what was put in last. */
static inline void store_take_back(struct store *store, uint64_t place)
{
	store->end = place;
}

/* Gives back the oldest, of so many bytes, with all room before it. */
void store_release(struct store *store, uint64_t place, uint32_t bytes);

#endif
