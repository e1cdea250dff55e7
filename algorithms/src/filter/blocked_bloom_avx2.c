/* SPDX-License-Identifier: Apache-2.0 */
/* A block is one register: all eight words of a key at once. */
#include "filter/blocked_bloom.h"

#include <immintrin.h>

/* One bit of each word. */
static inline __m256i bits_of(uint64_t hash)
{
	static const uint32_t odd[GM_BLOCKED_BLOOM_WORDS] = GM_BLOCKED_BLOOM_ODD;
	const __m256i multipliers = _mm256_loadu_si256((const __m256i *)(const void *)odd);
	__m256i product = _mm256_mullo_epi32(_mm256_set1_epi32((int)hash), multipliers);

	return _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_srli_epi32(product, 27));
}

void gm_blocked_bloom_add_avx2(struct gm_blocked_bloom *bloom, const uint64_t *keys, size_t count)
{
	__m256i *blocks = (__m256i *)(void *)bloom->blocks;
	uint32_t blocks_count = bloom->count;

	for (size_t i = 0; i < count; i++) {
		uint64_t hash = gm_mix64(keys[i]);
		__m256i *block = blocks + gm_blocked_bloom_block(hash, blocks_count);

		_mm256_store_si256(block, _mm256_or_si256(_mm256_load_si256(block), bits_of(hash)));
	}
}

void gm_blocked_bloom_find_avx2(const struct gm_blocked_bloom *bloom, const uint64_t *keys,
				size_t count, uint8_t *answers)
{
	const __m256i *blocks = (const __m256i *)(const void *)bloom->blocks;
	uint32_t blocks_count = bloom->count;

	for (size_t i = 0; i < count; i++) {
		uint64_t hash = gm_mix64(keys[i]);
		__m256i block =
			_mm256_load_si256(blocks + gm_blocked_bloom_block(hash, blocks_count));

		answers[i] = (uint8_t)_mm256_testc_si256(block, bits_of(hash));
	}
}
