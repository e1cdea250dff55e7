/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cuckoo filter of 12-bit tags: a set from which a key can be taken out, at 12.8 bits a key. It
 * takes about 0.19 % of others for members when it is full.
 *
 * A bucket holds four tags. A key has two buckets, each of which follows from the other and the
 * tag, for any number of buckets: the two add up to a hash of the tag, modulo their number.
 *
 * Source: B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, "Cuckoo filter: practically better
 * than Bloom" (2014).
 */
#ifndef GM_CUCKOO_H
#define GM_CUCKOO_H

#include <stddef.h>
#include <stdint.h>

struct gm_cuckoo_bucket {
	uint16_t tags[3]; /* four of 12 bits, the first in the lowest bits; 0 is no tag */
};

struct gm_cuckoo {
	struct gm_cuckoo_bucket *buckets;
	uint32_t count; /* of buckets */
	uint32_t random; /* which tag is evicted next */
	uint32_t spare_bucket; /* one tag that found no place, and a bucket of it */
	uint32_t spare_tag; /* 0 where there is none */
};

/*
 * An empty filter of `buckets` buckets, 1 to 2^29; gm_cuckoo_buckets() says how many.
 * Returns GM_OK, GM_BAD_ARGUMENT or GM_NO_MEMORY.
 */
int gm_cuckoo_init(struct gm_cuckoo *cuckoo, uint32_t buckets);

/* The buckets for `keys` keys at 94 % load. A power of two at or above it is faster to add to. */
uint32_t gm_cuckoo_buckets(uint32_t keys);

void gm_cuckoo_free(struct gm_cuckoo *cuckoo);
void gm_cuckoo_clear(struct gm_cuckoo *cuckoo);
size_t gm_cuckoo_bytes(const struct gm_cuckoo *cuckoo);

/*
 * Adds a key; one that is added twice takes two places, and more than nine times none is left.
 * Returns GM_OK, or GM_FULL: then the key was not added, and all others are still there.
 */
int gm_cuckoo_add(struct gm_cuckoo *cuckoo, uint64_t key);

/*
 * Takes one addition of a key back. A key that was never added must not be removed, because
 * another key's equal tag would be. Returns 1, or 0 where there was no such tag.
 */
int gm_cuckoo_remove(struct gm_cuckoo *cuckoo, uint64_t key);

/* 1 for a member, and for few others; 0 for all others. */
int gm_cuckoo_find(const struct gm_cuckoo *cuckoo, uint64_t key);

/* How many of `count` keys were added before one found the filter full. */
size_t gm_cuckoo_add_many(struct gm_cuckoo *cuckoo, const uint64_t *keys, size_t count);

/* How many of `count` keys were removed. */
size_t gm_cuckoo_remove_many(struct gm_cuckoo *cuckoo, const uint64_t *keys, size_t count);

/* Finds `count` keys, in order; each answer is a byte of `answers`. */
void gm_cuckoo_find_many(const struct gm_cuckoo *cuckoo, const uint64_t *keys, size_t count,
			 uint8_t *answers);

#endif
