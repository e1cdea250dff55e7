/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/bloom.h"

#include "gm/error.h"
#include "gm/lookup3.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_BITS = 8, MOST_HASHES = 32 };

int gm_bloom_init(struct gm_bloom *bloom, uint32_t bits, uint32_t hashes)
{
	bloom->bits = NULL;
	if (bits < LEAST_BITS || (bits & (bits - 1)) || hashes == 0 || hashes > MOST_HASHES)
		return GM_BAD_ARGUMENT;
	bloom->mask = bits - 1;
	bloom->hashes = hashes;
	bloom->bits = malloc(bits / 8);
	if (!bloom->bits)
		return GM_NO_MEMORY;
	gm_bloom_clear(bloom);
	return GM_OK;
}

void gm_bloom_free(struct gm_bloom *bloom)
{
	free(bloom->bits);
	bloom->bits = NULL;
}

void gm_bloom_clear(struct gm_bloom *bloom)
{
	memset(bloom->bits, 0, gm_bloom_bytes(bloom));
}

size_t gm_bloom_bytes(const struct gm_bloom *bloom)
{
	return bloom->mask / 8 + 1;
}

static inline void set(uint8_t *bits, uint32_t index)
{
	bits[index >> 3] = (uint8_t)(bits[index >> 3] | 1U << (index & 7));
}

static inline int is_set(const uint8_t *bits, uint32_t index)
{
	return bits[index >> 3] >> (index & 7) & 1;
}

void gm_bloom_add(struct gm_bloom *bloom, const uint8_t *key, size_t length)
{
	for (uint32_t seed = 0; seed < bloom->hashes; seed++)
		set(bloom->bits, gm_lookup3(key, length, seed) & bloom->mask);
}

int gm_bloom_find(const struct gm_bloom *bloom, const uint8_t *key, size_t length)
{
	for (uint32_t seed = 0; seed < bloom->hashes; seed++) {
		if (!is_set(bloom->bits, gm_lookup3(key, length, seed) & bloom->mask))
			return 0;
	}
	return 1;
}

/* The filter by value: its bits are bytes, which may alias anything, so C would read it anew. */
static inline void add(struct gm_bloom bloom, uint32_t key)
{
	for (uint32_t seed = 0; seed < bloom.hashes; seed++)
		set(bloom.bits, gm_lookup3_u32(key, seed) & bloom.mask);
}

static inline uint8_t find(struct gm_bloom bloom, uint32_t key)
{
	for (uint32_t seed = 0; seed < bloom.hashes; seed++) {
		if (!is_set(bloom.bits, gm_lookup3_u32(key, seed) & bloom.mask))
			return 0;
	}
	return 1;
}

void gm_bloom_add_u32(struct gm_bloom *bloom, uint32_t key)
{
	add(*bloom, key);
}

int gm_bloom_find_u32(const struct gm_bloom *bloom, uint32_t key)
{
	return find(*bloom, key);
}

void gm_bloom_add_many(struct gm_bloom *bloom, const uint32_t *keys, size_t count)
{
	const struct gm_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		add(local, keys[i]);
}

void gm_bloom_find_many(const struct gm_bloom *bloom, const uint32_t *keys, size_t count,
			uint8_t *answers)
{
	const struct gm_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		answers[i] = find(local, keys[i]);
}

static inline void add_2h(struct gm_bloom bloom, uint32_t key)
{
	uint32_t step;
	uint32_t index = gm_lookup3_u32_pair(key, &step);

	for (uint32_t i = 0; i < bloom.hashes; i++, index += step)
		set(bloom.bits, index & bloom.mask);
}

static inline uint8_t find_2h(struct gm_bloom bloom, uint32_t key)
{
	uint32_t step;
	uint32_t index = gm_lookup3_u32_pair(key, &step);

	for (uint32_t i = 0; i < bloom.hashes; i++, index += step) {
		if (!is_set(bloom.bits, index & bloom.mask))
			return 0;
	}
	return 1;
}

void gm_bloom_add_many_2h(struct gm_bloom *bloom, const uint32_t *keys, size_t count)
{
	const struct gm_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		add_2h(local, keys[i]);
}

void gm_bloom_find_many_2h(const struct gm_bloom *bloom, const uint32_t *keys, size_t count,
			   uint8_t *answers)
{
	const struct gm_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		answers[i] = find_2h(local, keys[i]);
}
