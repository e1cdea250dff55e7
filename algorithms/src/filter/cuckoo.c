/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/cuckoo.h"

#include "gm/error.h"
#include "gm/random.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4, TAG_BITS = 12, TAG_MASK = 0xfff, MOST_MOVES = 500 };

#define MOST_BUCKETS (UINT32_C(1) << 29)
#define LOW_BITS UINT64_C(0x001001001001) /* the lowest bit of each tag */
#define HIGH_BITS UINT64_C(0x800800800800)

int gm_cuckoo_init(struct gm_cuckoo *cuckoo, uint32_t buckets)
{
	cuckoo->buckets = NULL;
	cuckoo->count = buckets;
	if (buckets == 0 || buckets > MOST_BUCKETS)
		return GM_BAD_ARGUMENT;
	cuckoo->buckets = malloc(gm_cuckoo_bytes(cuckoo));
	if (!cuckoo->buckets)
		return GM_NO_MEMORY;
	gm_cuckoo_clear(cuckoo);
	return GM_OK;
}

uint32_t gm_cuckoo_buckets(uint32_t keys)
{
	return (uint32_t)(keys * UINT64_C(100) / (UINT64_C(94) * SLOTS) + 1);
}

void gm_cuckoo_free(struct gm_cuckoo *cuckoo)
{
	free(cuckoo->buckets);
	cuckoo->buckets = NULL;
}

void gm_cuckoo_clear(struct gm_cuckoo *cuckoo)
{
	cuckoo->random = 1;
	cuckoo->spare_bucket = 0;
	cuckoo->spare_tag = 0;
	memset(cuckoo->buckets, 0, gm_cuckoo_bytes(cuckoo));
}

size_t gm_cuckoo_bytes(const struct gm_cuckoo *cuckoo)
{
	return (size_t)cuckoo->count * sizeof(*cuckoo->buckets);
}

static inline uint64_t tags_of(const struct gm_cuckoo_bucket *bucket)
{
	return bucket->tags[0] | (uint64_t)bucket->tags[1] << 16 | (uint64_t)bucket->tags[2] << 32;
}

static inline void put(struct gm_cuckoo_bucket *bucket, uint64_t tags)
{
	bucket->tags[0] = (uint16_t)tags;
	bucket->tags[1] = (uint16_t)(tags >> 16);
	bucket->tags[2] = (uint16_t)(tags >> 32);
}

/*
 * The high bit of each tag that equals `tag`. A subtraction borrows from the next tag only at a tag
 * that is equal, so the lowest bit is right, and the word is zero if none is equal.
 */
static inline uint64_t equal(uint64_t tags, uint32_t tag)
{
	uint64_t differs = tags ^ tag * LOW_BITS;

	return (differs - LOW_BITS) & ~differs & HIGH_BITS;
}

/* Where a tag of a bucket begins, by the high bit that equal() gave: its lowest. */
static inline uint32_t shift_of(uint64_t high)
{
	if (high & UINT64_C(0x800800))
		return high & 0x800 ? 0 : TAG_BITS;
	return high & UINT64_C(0x800000000) ? 2 * TAG_BITS : 3 * TAG_BITS;
}

/* A tag is 1 to 4095; the others of 2^12 values share it. */
static inline uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)((hash & 0xffffffff) * TAG_MASK >> 32) + 1;
}

static inline uint32_t first_of(const struct gm_cuckoo *cuckoo, uint64_t hash)
{
	return (uint32_t)((hash >> 32) * cuckoo->count >> 32);
}

/* Two buckets of a tag add up to its hash, modulo the number of buckets. */
static inline uint32_t other_of(const struct gm_cuckoo *cuckoo, uint32_t bucket, uint32_t tag)
{
	uint32_t sum = (uint32_t)((uint64_t)(tag * UINT32_C(0x9e3779b1)) * cuckoo->count >> 32);

	return sum - bucket + (sum < bucket ? cuckoo->count : 0);
}

/* Puts a tag where one is free. */
static inline int place(struct gm_cuckoo_bucket *bucket, uint32_t tag)
{
	uint64_t tags = tags_of(bucket);
	uint64_t free_tags = equal(tags, 0);

	if (!free_tags)
		return 0;
	put(bucket, tags | (uint64_t)tag << shift_of(free_tags));
	return 1;
}

/* Puts a tag in the place of one of four, and returns that one. */
static uint32_t evict(struct gm_cuckoo *cuckoo, uint32_t at, uint32_t tag)
{
	uint64_t tags = tags_of(cuckoo->buckets + at);
	uint32_t shift;
	uint32_t evicted;

	cuckoo->random = cuckoo->random * UINT32_C(1664525) + UINT32_C(1013904223);
	shift = (cuckoo->random >> 30) * TAG_BITS;
	evicted = (uint32_t)(tags >> shift) & TAG_MASK;
	put(cuckoo->buckets + at, tags ^ (uint64_t)(evicted ^ tag) << shift);
	return evicted;
}

/* Moves tags to their other buckets until one finds a place, or keeps the last as the spare. */
static void move(struct gm_cuckoo *cuckoo, uint32_t at, uint32_t tag)
{
	for (int moves = 0; moves < MOST_MOVES; moves++) {
		tag = evict(cuckoo, at, tag);
		at = other_of(cuckoo, at, tag);
		if (place(cuckoo->buckets + at, tag))
			return;
	}
	cuckoo->spare_bucket = at;
	cuckoo->spare_tag = tag;
}

static inline int add(struct gm_cuckoo *cuckoo, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	uint32_t tag = tag_of(hash);
	uint32_t first = first_of(cuckoo, hash);
	uint32_t other = other_of(cuckoo, first, tag);

	if (place(cuckoo->buckets + first, tag) || place(cuckoo->buckets + other, tag))
		return GM_OK;
	if (cuckoo->spare_tag)
		return GM_FULL;
	move(cuckoo, other, tag);
	return GM_OK;
}

static inline int clear_tag(struct gm_cuckoo_bucket *bucket, uint32_t tag)
{
	uint64_t tags = tags_of(bucket);
	uint64_t equals = equal(tags, tag);

	if (!equals)
		return 0;
	put(bucket, tags ^ (uint64_t)tag << shift_of(equals));
	return 1;
}

static inline int is_spare(const struct gm_cuckoo *cuckoo, uint32_t first, uint32_t other,
			   uint32_t tag)
{
	return (cuckoo->spare_tag == tag) &
	       ((cuckoo->spare_bucket == first) | (cuckoo->spare_bucket == other));
}

/* A place became free, so the spare may find one again. */
static void place_spare(struct gm_cuckoo *cuckoo)
{
	uint32_t tag = cuckoo->spare_tag;

	cuckoo->spare_tag = 0;
	if (!place(cuckoo->buckets + cuckoo->spare_bucket, tag))
		move(cuckoo, cuckoo->spare_bucket, tag);
}

static inline int take(struct gm_cuckoo *cuckoo, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	uint32_t tag = tag_of(hash);
	uint32_t first = first_of(cuckoo, hash);
	uint32_t other = other_of(cuckoo, first, tag);

	if (clear_tag(cuckoo->buckets + first, tag) || clear_tag(cuckoo->buckets + other, tag)) {
		if (cuckoo->spare_tag)
			place_spare(cuckoo);
		return 1;
	}
	if (!is_spare(cuckoo, first, other, tag))
		return 0;
	cuckoo->spare_tag = 0;
	return 1;
}

static inline uint8_t find(const struct gm_cuckoo *cuckoo, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	uint32_t tag = tag_of(hash);
	uint32_t first = first_of(cuckoo, hash);
	uint32_t other = other_of(cuckoo, first, tag);
	uint64_t equals = equal(tags_of(cuckoo->buckets + first), tag) |
			  equal(tags_of(cuckoo->buckets + other), tag);

	/* Without branches: which bucket holds it is chance, so it could not be predicted. */
	return (uint8_t)((equals != 0) | is_spare(cuckoo, first, other, tag));
}

int gm_cuckoo_add(struct gm_cuckoo *cuckoo, uint64_t key)
{
	return add(cuckoo, key);
}

int gm_cuckoo_remove(struct gm_cuckoo *cuckoo, uint64_t key)
{
	return take(cuckoo, key);
}

int gm_cuckoo_find(const struct gm_cuckoo *cuckoo, uint64_t key)
{
	return find(cuckoo, key);
}

size_t gm_cuckoo_add_many(struct gm_cuckoo *cuckoo, const uint64_t *keys, size_t count)
{
	size_t added = 0;

	while (added < count && add(cuckoo, keys[added]) == GM_OK)
		added++;
	return added;
}

size_t gm_cuckoo_remove_many(struct gm_cuckoo *cuckoo, const uint64_t *keys, size_t count)
{
	size_t removed = 0;

	for (size_t i = 0; i < count; i++)
		removed += (size_t)take(cuckoo, keys[i]);
	return removed;
}

void gm_cuckoo_find_many(const struct gm_cuckoo *cuckoo, const uint64_t *keys, size_t count,
			 uint8_t *answers)
{
	const struct gm_cuckoo local = *cuckoo;

	for (size_t i = 0; i < count; i++)
		answers[i] = find(&local, keys[i]);
}
