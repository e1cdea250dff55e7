/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/counting_bloom.h"

#include "gm/error.h"
#include "gm/lookup3.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_HASHES = 32, STICKY = 15 };

int gm_counting_bloom_init(struct gm_counting_bloom *bloom, uint32_t counters, uint32_t hashes)
{
	bloom->counters = NULL;
	if (counters < 2 || (counters & (counters - 1)) || hashes == 0 || hashes > MOST_HASHES)
		return GM_BAD_ARGUMENT;
	bloom->mask = counters - 1;
	bloom->hashes = hashes;
	bloom->counters = malloc(counters / 2);
	if (!bloom->counters)
		return GM_NO_MEMORY;
	gm_counting_bloom_clear(bloom);
	return GM_OK;
}

void gm_counting_bloom_free(struct gm_counting_bloom *bloom)
{
	free(bloom->counters);
	bloom->counters = NULL;
}

void gm_counting_bloom_clear(struct gm_counting_bloom *bloom)
{
	memset(bloom->counters, 0, gm_counting_bloom_bytes(bloom));
}

size_t gm_counting_bloom_bytes(const struct gm_counting_bloom *bloom)
{
	return bloom->mask / 2 + 1;
}

static inline uint32_t counter(const uint8_t *counters, uint32_t index)
{
	return (uint32_t)counters[index >> 1] >> (4 * (index & 1)) & 15;
}

static inline void increment(uint8_t *counters, uint32_t index)
{
	uint32_t by = counter(counters, index) != STICKY;

	counters[index >> 1] = (uint8_t)(counters[index >> 1] + (by << (4 * (index & 1))));
}

static inline void decrement(uint8_t *counters, uint32_t index)
{
	uint32_t value = counter(counters, index);
	uint32_t by = value != 0 && value != STICKY;

	counters[index >> 1] = (uint8_t)(counters[index >> 1] - (by << (4 * (index & 1))));
}

void gm_counting_bloom_add(struct gm_counting_bloom *bloom, const uint8_t *key, size_t length)
{
	for (uint32_t seed = 0; seed < bloom->hashes; seed++)
		increment(bloom->counters, gm_lookup3(key, length, seed) & bloom->mask);
}

void gm_counting_bloom_remove(struct gm_counting_bloom *bloom, const uint8_t *key, size_t length)
{
	for (uint32_t seed = 0; seed < bloom->hashes; seed++)
		decrement(bloom->counters, gm_lookup3(key, length, seed) & bloom->mask);
}

int gm_counting_bloom_find(const struct gm_counting_bloom *bloom, const uint8_t *key, size_t length)
{
	for (uint32_t seed = 0; seed < bloom->hashes; seed++) {
		if (!counter(bloom->counters, gm_lookup3(key, length, seed) & bloom->mask))
			return 0;
	}
	return 1;
}

/* The filter by value: counters are bytes, which may alias anything, so C would read it anew. */
static inline void add(struct gm_counting_bloom bloom, uint32_t key)
{
	for (uint32_t seed = 0; seed < bloom.hashes; seed++)
		increment(bloom.counters, gm_lookup3_u32(key, seed) & bloom.mask);
}

static inline void take(struct gm_counting_bloom bloom, uint32_t key)
{
	for (uint32_t seed = 0; seed < bloom.hashes; seed++)
		decrement(bloom.counters, gm_lookup3_u32(key, seed) & bloom.mask);
}

static inline uint8_t find(struct gm_counting_bloom bloom, uint32_t key)
{
	for (uint32_t seed = 0; seed < bloom.hashes; seed++) {
		if (!counter(bloom.counters, gm_lookup3_u32(key, seed) & bloom.mask))
			return 0;
	}
	return 1;
}

void gm_counting_bloom_add_many(struct gm_counting_bloom *bloom, const uint32_t *keys, size_t count)
{
	const struct gm_counting_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		add(local, keys[i]);
}

void gm_counting_bloom_remove_many(struct gm_counting_bloom *bloom, const uint32_t *keys,
				   size_t count)
{
	const struct gm_counting_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		take(local, keys[i]);
}

void gm_counting_bloom_find_many(const struct gm_counting_bloom *bloom, const uint32_t *keys,
				 size_t count, uint8_t *answers)
{
	const struct gm_counting_bloom local = *bloom;

	for (size_t i = 0; i < count; i++)
		answers[i] = find(local, keys[i]);
}
