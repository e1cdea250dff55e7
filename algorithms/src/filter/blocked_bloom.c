/* SPDX-License-Identifier: Apache-2.0 */
#include "filter/blocked_bloom.h"

#include "common/lines.h"
#include "gm/error.h"

enum { WORDS = GM_BLOCKED_BLOOM_WORDS, KEYS_A_BLOCK = 24 };

static const uint32_t odd[WORDS] = GM_BLOCKED_BLOOM_ODD;

int gm_blocked_bloom_init(struct gm_blocked_bloom *bloom, uint32_t blocks)
{
	bloom->memory = NULL;
	bloom->count = blocks;
	bloom->impl = gm_impl_runs(GM_AVX2) ? GM_AVX2 : GM_PORTABLE;
	if (blocks == 0)
		return GM_BAD_ARGUMENT;
	bloom->blocks = gm_lines(blocks, sizeof(*bloom->blocks), &bloom->memory);
	return bloom->blocks ? GM_OK : GM_NO_MEMORY;
}

uint32_t gm_blocked_bloom_blocks(uint32_t keys)
{
	return 1 + keys / KEYS_A_BLOCK;
}

void gm_blocked_bloom_free(struct gm_blocked_bloom *bloom)
{
	free(bloom->memory);
	bloom->memory = NULL;
}

void gm_blocked_bloom_clear(struct gm_blocked_bloom *bloom)
{
	memset(bloom->blocks, 0, gm_blocked_bloom_bytes(bloom));
}

size_t gm_blocked_bloom_bytes(const struct gm_blocked_bloom *bloom)
{
	return (size_t)bloom->count * sizeof(*bloom->blocks);
}

static inline void add(const struct gm_blocked_bloom *bloom, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	uint32_t *block = bloom->blocks[gm_blocked_bloom_block(hash, bloom->count)];

	for (int i = 0; i < WORDS; i++)
		block[i] |= UINT32_C(1) << (((uint32_t)hash * odd[i]) >> 27);
}

static inline uint8_t find(const struct gm_blocked_bloom *bloom, uint64_t key)
{
	uint64_t hash = gm_mix64(key);
	const uint32_t *block = bloom->blocks[gm_blocked_bloom_block(hash, bloom->count)];
	uint32_t all = 1;

	/* Without branches: which word says no is chance, so a processor could not predict it. */
	for (int i = 0; i < WORDS; i++)
		all &= block[i] >> (((uint32_t)hash * odd[i]) >> 27);
	return (uint8_t)all;
}

void gm_blocked_bloom_add(struct gm_blocked_bloom *bloom, uint64_t key)
{
	add(bloom, key);
}

int gm_blocked_bloom_find(const struct gm_blocked_bloom *bloom, uint64_t key)
{
	return find(bloom, key);
}

void gm_blocked_bloom_add_many(struct gm_blocked_bloom *bloom, const uint64_t *keys, size_t count)
{
#if defined(__x86_64__)
	if (bloom->impl == GM_AVX2) {
		gm_blocked_bloom_add_avx2(bloom, keys, count);
		return;
	}
#endif
	for (size_t i = 0; i < count; i++)
		add(bloom, keys[i]);
}

void gm_blocked_bloom_find_many(const struct gm_blocked_bloom *bloom, const uint64_t *keys,
				size_t count, uint8_t *answers)
{
	const struct gm_blocked_bloom local = *bloom;

#if defined(__x86_64__)
	if (bloom->impl == GM_AVX2) {
		gm_blocked_bloom_find_avx2(bloom, keys, count, answers);
		return;
	}
#endif
	for (size_t i = 0; i < count; i++)
		answers[i] = find(&local, keys[i]);
}
