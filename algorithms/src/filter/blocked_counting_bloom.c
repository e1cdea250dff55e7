/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/blocked_counting_bloom.h"

#include "common/lines.h"
#include "gm/error.h"
#include "gm/random.h"

enum { HASHES = 5, INDEX_BITS = 7, STICKY = 15, KEYS_A_BLOCK = 12 };

#define MOST_BLOCKS (UINT32_C(1) << 29) /* a hash of 64 bits less five indexes of 7 */

int gm_blocked_counting_bloom_init(struct gm_blocked_counting_bloom *bloom, uint32_t blocks)
{
	bloom->memory = NULL;
	bloom->count = blocks;
	if (blocks == 0 || blocks > MOST_BLOCKS)
		return GM_BAD_ARGUMENT;
	bloom->blocks = gm_lines(blocks, sizeof(*bloom->blocks), &bloom->memory);
	return bloom->blocks ? GM_OK : GM_NO_MEMORY;
}

uint32_t gm_blocked_counting_bloom_blocks(uint32_t keys)
{
	return 1 + keys / KEYS_A_BLOCK;
}

void gm_blocked_counting_bloom_free(struct gm_blocked_counting_bloom *bloom)
{
	free(bloom->memory);
	bloom->memory = NULL;
}

void gm_blocked_counting_bloom_clear(struct gm_blocked_counting_bloom *bloom)
{
	memset(bloom->blocks, 0, gm_blocked_counting_bloom_bytes(bloom));
}

size_t gm_blocked_counting_bloom_bytes(const struct gm_blocked_counting_bloom *bloom)
{
	return (size_t)bloom->count * sizeof(*bloom->blocks);
}

static inline uint32_t *block_of(const struct gm_blocked_counting_bloom *bloom, uint64_t hash)
{
	return bloom->blocks[(uint32_t)(((hash >> 32) * bloom->count) >> 32)];
}

/* Counter `index` of a hash is bits 7 * index on: four bits say which word, three which part. */
static inline uint32_t word_of(uint64_t hash, int index)
{
	return (uint32_t)(hash >> (INDEX_BITS * index)) & 15;
}

static inline uint32_t shift_of(uint64_t hash, int index)
{
	return (uint32_t)(hash >> (INDEX_BITS * index + 4)) % 8 * 4;
}

static inline void add(const struct gm_blocked_counting_bloom *bloom, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	uint32_t *block = block_of(bloom, hash);

	for (int i = 0; i < HASHES; i++) {
		uint32_t *word = block + word_of(hash, i);
		uint32_t shift = shift_of(hash, i);
		uint32_t by = (*word >> shift & 15) != STICKY;

		*word += by << shift;
	}
}

static inline void take(const struct gm_blocked_counting_bloom *bloom, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	uint32_t *block = block_of(bloom, hash);

	for (int i = 0; i < HASHES; i++) {
		uint32_t *word = block + word_of(hash, i);
		uint32_t shift = shift_of(hash, i);
		uint32_t counter = *word >> shift & 15;
		uint32_t by = counter != 0 && counter != STICKY;

		*word -= by << shift;
	}
}

static inline uint8_t find(const struct gm_blocked_counting_bloom *bloom, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	const uint32_t *block = block_of(bloom, hash);
	uint32_t all = 1;

	for (int i = 0; i < HASHES; i++)
		all &= (block[word_of(hash, i)] >> shift_of(hash, i) & 15) != 0;
	return (uint8_t)all;
}

void gm_blocked_counting_bloom_add(struct gm_blocked_counting_bloom *bloom, uint64_t key)
{
	add(bloom, key);
}

void gm_blocked_counting_bloom_remove(struct gm_blocked_counting_bloom *bloom, uint64_t key)
{
	take(bloom, key);
}

int gm_blocked_counting_bloom_find(const struct gm_blocked_counting_bloom *bloom, uint64_t key)
{
	return find(bloom, key);
}

void gm_blocked_counting_bloom_add_many(struct gm_blocked_counting_bloom *bloom,
					const uint64_t *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add(bloom, keys[i]);
}

void gm_blocked_counting_bloom_remove_many(struct gm_blocked_counting_bloom *bloom,
					   const uint64_t *keys, size_t count)
{
	for (size_t i = 0; i < count; i++)
		take(bloom, keys[i]);
}

void gm_blocked_counting_bloom_find_many(const struct gm_blocked_counting_bloom *bloom,
					 const uint64_t *keys, size_t count, uint8_t *answers)
{
	const struct gm_blocked_counting_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		answers[i] = find(&local, keys[i]);
}
