// SPDX-License-Identifier: Apache-2.0
/*
 * A bounded table of flows or hosts, whose memory is there from the start. An entry may be in one of
 * eight places; where all are taken, the one that was used least lately makes room.
 */
#ifndef GM_LIVE_CACHE_H
#define GM_LIVE_CACHE_H

#include "node/siphash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache {
	uint8_t *memory;
	size_t key_bytes, value_bytes, entry_bytes;
	size_t groups;
	uint8_t secret[SIPHASH_KEY_BYTES]; /* so that nobody can fill one group alone */
};

/* 0 or -ENOMEM; cache_close() in either case. */
int cache_open(struct cache *cache, size_t entries, size_t key_bytes, size_t value_bytes,
	       const uint8_t secret[SIPHASH_KEY_BYTES]);
void cache_close(struct cache *cache);

/* An entry's value, which was used now (us); NULL: there is none. */
void *cache_find(const struct cache *cache, const void *key, uint64_t now_us);

/*
 * A new entry's value, of zeros. It takes the place of one that was not used for `idle_us` at least;
 * NULL: there is none.
 */
void *cache_make(const struct cache *cache, const void *key, uint64_t now_us, uint64_t idle_us);
void cache_drop(const struct cache *cache, const void *key);

/* The value at a place below cache_places(), and its key; NULL: the place is empty. */
size_t cache_places(const struct cache *cache);
void *cache_at(const struct cache *cache, size_t place, const void **key);

#endif
