/* SPDX-License-Identifier: Apache-2.0 */
#include "common/bits.h"
#include "filter/binary_fuse.h"
#include "gm/error.h"

#include <stdlib.h>
#include <string.h>

enum { TRIES = 100, LOG2_BITS = 24, MOST_BUCKETS = 4096 };

/* A workspace is of less than 2^32 bytes on a processor of 32 bits. */
#define MOST_KEYS (UINT32_C(1) << (sizeof(size_t) > 4 ? 31 : 27))

/* How many slots a segment has: the least number of keys for 8, 16, ... slots; fewer have 4. */
static uint32_t segment_of(uint32_t count)
{
	static const uint32_t least[] = { 3,	   9,	     28,       92,	 304,	 1010,
					  3362,	   11193,    37273,    124118,	 413310, 1376322,
					  4583150, 15261887, 50822082, 169237530 };
	uint32_t segment = 4;

	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]) && count >= least[i]; i++)
		segment *= 2;
	return segment;
}

/* The logarithm of n > 0 to the base 2, times 2^24, by squaring. */
static uint32_t log2_of(uint32_t n)
{
	uint32_t whole = gm_highest32(n);
	uint64_t power = (uint64_t)n << (31 - whole); /* 1 to 2, times 2^31 */
	uint32_t result = whole;

	for (int i = 0; i < LOG2_BITS; i++) {
		power = (power * power) >> 31;
		result = result * 2 + (uint32_t)(power >> 32);
		power >>= power >> 32;
	}
	return result;
}

/* How many slots `count` keys need: 1.125 a key, and more for fewer than a million. */
static uint64_t capacity_of(uint32_t count)
{
	const uint64_t quarter_of_million = UINT64_C(83600574); /* log2(10^6) / 4 * 2^24 */
	uint64_t factor;

	if (count < 2)
		return 0;
	if (count >= 1000000)
		return count + (count + UINT64_C(7)) / 8;
	factor = (UINT64_C(7) << 29) + (quarter_of_million << 32) / log2_of(count);
	return (count * factor + UINT32_MAX) >> 32;
}

static void set_size(struct gm_binary_fuse *fuse, uint32_t count)
{
	uint32_t segments;

	fuse->segment = segment_of(count);
	segments = (uint32_t)((capacity_of(count) + fuse->segment - 1) / fuse->segment);
	segments = segments > 3 ? segments - 2 : 1;
	fuse->span = segments * fuse->segment;
	fuse->slots = fuse->span + 2 * fuse->segment;
}

uint64_t gm_binary_fuse_bytes(uint32_t count)
{
	struct gm_binary_fuse fuse;

	set_size(&fuse, count);
	return fuse.slots;
}

/*
 * What the construction works on. A slot holds the exclusive or of the numbers of the keys that
 * touch it in its low half, and how many they are in its high half: where that is one, the low half
 * is the key's number.
 */
struct construction {
	uint64_t *hashes; /* by first slot, roughly, so that neighbours touch neighbouring slots */
	uint64_t *slots;
	uint32_t *queue; /* slots with one key, then the own slots of the keys set aside */
	uint32_t *order; /* the numbers of the keys set aside */
	uint32_t count;
};

#define ONE_KEY (UINT64_C(1) << 32)

uint64_t gm_binary_fuse_peak_bytes(uint32_t count)
{
	uint64_t slots = gm_binary_fuse_bytes(count);

	return slots + slots * (sizeof(uint64_t) + sizeof(uint32_t)) +
	       (uint64_t)count * (sizeof(uint64_t) + sizeof(uint32_t));
}

/* One piece of memory for all, kept from the last construction where it is large enough. */
static int construction_init(struct construction *work, struct gm_binary_fuse_workspace *space,
			     uint32_t count, uint32_t slots)
{
	size_t cells = (size_t)count + slots;
	size_t bytes = cells * (sizeof(uint64_t) + sizeof(uint32_t)) + 2 * sizeof(uint32_t);

	if (space->bytes < bytes) {
		gm_binary_fuse_workspace_free(space);
		space->memory = calloc(bytes, 1);
		if (!space->memory)
			return GM_NO_MEMORY;
		space->bytes = bytes;
	}
	work->count = count;
	work->hashes = space->memory;
	work->slots = work->hashes + count;
	work->queue = (uint32_t *)(work->slots + slots);
	work->order = work->queue + slots + 1;
	return GM_OK;
}

void gm_binary_fuse_workspace_free(struct gm_binary_fuse_workspace *space)
{
	free(space->memory);
	space->memory = NULL;
	space->bytes = 0;
}

/* Writes the keys' hashes, sorted by the part of the filter in which their first slot is. */
static void hash_keys(const struct gm_binary_fuse *fuse, struct construction *work,
		      const uint64_t *keys, uint32_t count)
{
	uint32_t buckets = fuse->span / fuse->segment;
	uint32_t begin[MOST_BUCKETS + 1] = { 0 };

	buckets = buckets < MOST_BUCKETS ? buckets : MOST_BUCKETS;
	for (uint32_t i = 0; i < count; i++)
		begin[gm_fuse_first(gm_mix64(keys[i] + fuse->seed), buckets) + 1]++;
	for (uint32_t i = 1; i < buckets; i++)
		begin[i] += begin[i - 1];
	for (uint32_t i = 0; i < count; i++) {
		uint64_t hash = gm_mix64(keys[i] + fuse->seed);

		work->hashes[begin[gm_fuse_first(hash, buckets)]++] = hash;
	}
}

static void count_slots(const struct gm_binary_fuse *fuse, struct construction *work)
{
	uint64_t *slots = work->slots;

	memset(slots, 0, fuse->slots * sizeof(*slots));
	for (uint32_t i = 0; i < work->count; i++) {
		struct gm_fuse_slots at = gm_fuse_slots(fuse, work->hashes[i]);

		slots[at.first] = (slots[at.first] ^ i) + ONE_KEY;
		slots[at.second] = (slots[at.second] ^ i) + ONE_KEY;
		slots[at.third] = (slots[at.third] ^ i) + ONE_KEY;
	}
}

static inline uint32_t has_one(uint64_t slot)
{
	return slot >> 32 == 1;
}

static inline void leave(uint64_t *slot, uint32_t at, uint32_t key, uint32_t *queue, uint32_t *tail)
{
	slot[at] = (slot[at] ^ key) - ONE_KEY;
	queue[*tail] = at;
	*tail += has_one(slot[at]);
}

/*
 * Sets keys aside as long as slots with one key are queued; `done` and `tail` are the lengths of
 * the order and of the queue. First come, first served: the processor works on many keys at once,
 * because none waits for the last. Returns the new length of the order.
 */
static uint32_t drain(const struct gm_binary_fuse *fuse, struct construction *work, uint32_t done,
		      uint32_t tail)
{
	const struct gm_binary_fuse local = *fuse;
	const uint64_t *hashes = work->hashes;
	uint64_t *slots = work->slots;
	uint32_t *queue = work->queue;
	uint32_t *order = work->order;

	for (uint32_t head = done; head < tail; head++) {
		uint32_t own = queue[head];
		uint32_t key = (uint32_t)slots[own];
		struct gm_fuse_slots at;

		if (!has_one(slots[own]))
			continue;
		at = gm_fuse_slots(&local, hashes[key]);
		order[done] = key;
		queue[done++] = own;
		/* Its own slot becomes empty; the others are queued where one key is left. */
		leave(slots, at.first, key, queue, &tail);
		leave(slots, at.second, key, queue, &tail);
		leave(slots, at.third, key, queue, &tail);
	}
	return done;
}

/*
 * Sets keys aside, and returns how many: all, or the seed is bad. Each part of the filter is done
 * with its neighbours before the next is looked at, so that what is worked on stays in the cache.
 */
static uint32_t peel(const struct gm_binary_fuse *fuse, struct construction *work)
{
	uint32_t done = 0;

	for (uint32_t from = 0; from < fuse->slots; from += fuse->segment) {
		uint32_t tail = done;

		for (uint32_t slot = from; slot < from + fuse->segment; slot++) {
			work->queue[tail] = slot;
			tail += has_one(work->slots[slot]);
		}
		done = drain(fuse, work, done, tail);
	}
	return done;
}

/* A key's own slot is still zero when its turn comes, so all three can be read. */
static void fill(struct gm_binary_fuse *fuse, const struct construction *work)
{
	uint8_t *tags = fuse->tags;
	const struct gm_binary_fuse local = *fuse;

	memset(tags, 0, fuse->slots);
	for (uint32_t i = work->count; i-- > 0;) {
		uint64_t hash = work->hashes[work->order[i]];
		struct gm_fuse_slots at = gm_fuse_slots(&local, hash);

		tags[work->queue[i]] = (uint8_t)(gm_fuse_tag(hash) ^ tags[at.first] ^
						 tags[at.second] ^ tags[at.third]);
	}
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left;
	uint64_t b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

/* Leaves each hash once, and so each key, because no two keys have the same hash. */
static void drop_repeated(struct construction *work)
{
	uint32_t kept = 0;

	qsort(work->hashes, work->count, sizeof(*work->hashes), compare);
	for (uint32_t i = 0; i < work->count; i++) {
		if (kept == 0 || work->hashes[kept - 1] != work->hashes[i])
			work->hashes[kept++] = work->hashes[i];
	}
	work->count = kept;
}

static int peeled(const struct gm_binary_fuse *fuse, struct construction *work)
{
	count_slots(fuse, work);
	return peel(fuse, work) == work->count;
}

static int build(struct gm_binary_fuse *fuse, struct construction *work, const uint64_t *keys,
		 uint32_t count)
{
	struct gm_random random = { 0 };

	for (fuse->tries = 1; fuse->tries <= TRIES; fuse->tries++) {
		fuse->seed = gm_random_u64(&random);
		work->count = count;
		hash_keys(fuse, work, keys, count);
		if (peeled(fuse, work))
			return GM_OK;
		/* A key that is there twice is never set aside. */
		drop_repeated(work);
		if (work->count < count && peeled(fuse, work))
			return GM_OK;
	}
	return GM_NOT_BUILT;
}

int gm_binary_fuse_build_in(struct gm_binary_fuse *fuse, const uint64_t *keys, uint32_t count,
			    struct gm_binary_fuse_workspace *space)
{
	struct construction work;
	int error;

	memset(fuse, 0, sizeof(*fuse));
	fuse->impl = gm_impl_runs(GM_AVX512) ? GM_AVX512 : GM_PORTABLE;
	if (count > MOST_KEYS)
		return GM_BAD_ARGUMENT;
	set_size(fuse, count);
	if (construction_init(&work, space, count, fuse->slots))
		return GM_NO_MEMORY;
	fuse->tags = malloc(fuse->slots);
	error = fuse->tags ? build(fuse, &work, keys, count) : GM_NO_MEMORY;
	if (error)
		gm_binary_fuse_free(fuse);
	else
		fill(fuse, &work);
	return error;
}

int gm_binary_fuse_build(struct gm_binary_fuse *fuse, const uint64_t *keys, uint32_t count)
{
	struct gm_binary_fuse_workspace space = { NULL, 0 };
	int error = gm_binary_fuse_build_in(fuse, keys, count, &space);

	gm_binary_fuse_workspace_free(&space);
	return error;
}
