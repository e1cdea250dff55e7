/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of 64 keys: their hashes and slots by AVX-512, eight at once, the bytes of the slots by
 * single loads, which are faster than gathers of bytes, and the comparison by AVX-512 again. Each
 * step writes to memory for the whole block: a vector that is read back at once as it was written
 * in pieces waits for each of them.
 */
#include "filter/binary_fuse.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 8, ALL = 0xff };

static inline __m512i mix(__m512i z)
{
	const __m512i first = _mm512_set1_epi64((long long)UINT64_C(0xBF58476D1CE4E5B9));
	const __m512i second = _mm512_set1_epi64((long long)UINT64_C(0x94D049BB133111EB));

	z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)), first);
	z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)), second);
	return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

static inline __m512i first_slots(__m512i hash, __m512i span)
{
	__m512i low = _mm512_mul_epu32(hash, span);
	__m512i high = _mm512_mul_epu32(_mm512_srli_epi64(hash, 32), span);

	return _mm512_srli_epi64(_mm512_add_epi64(high, _mm512_srli_epi64(low, 32)), 32);
}

static inline __m512i other_slots(__m512i first, __m512i distance, __m512i bits, __m512i mask)
{
	return _mm512_xor_si512(_mm512_add_epi64(first, distance), _mm512_and_si512(bits, mask));
}

/* The slots and tags of a block's keys. */
static inline void hash_block(const struct gm_binary_fuse *fuse, const uint64_t *keys,
			      uint32_t at[3][GM_FUSE_BLOCK], uint8_t *want)
{
	const __m512i seed = _mm512_set1_epi64((long long)fuse->seed);
	const __m512i span = _mm512_set1_epi64(fuse->span);
	const __m512i segment = _mm512_set1_epi64(fuse->segment);
	const __m512i segments = _mm512_add_epi64(segment, segment);
	const __m512i mask = _mm512_set1_epi64((long long)fuse->segment - 1);

	for (size_t i = 0; i < GM_FUSE_BLOCK; i += LANES) {
		__m512i hash = mix(_mm512_add_epi64(_mm512_loadu_si512(keys + i), seed));
		__m512i first = first_slots(hash, span);
		__m512i second = other_slots(first, segment, _mm512_srli_epi64(hash, 18), mask);
		__m512i third = other_slots(first, segments, hash, mask);
		__m512i tag = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));

		_mm512_mask_cvtepi64_storeu_epi32(at[0] + i, ALL, first);
		_mm512_mask_cvtepi64_storeu_epi32(at[1] + i, ALL, second);
		_mm512_mask_cvtepi64_storeu_epi32(at[2] + i, ALL, third);
		_mm512_mask_cvtepi64_storeu_epi8(want + i, ALL, tag);
	}
}

size_t gm_binary_fuse_find_avx512(const struct gm_binary_fuse *fuse, const uint64_t *keys,
				  size_t count, uint8_t *answers)
{
	const __m512i one = _mm512_set1_epi8(1);
	uint32_t at[3][GM_FUSE_BLOCK];
	uint8_t want[GM_FUSE_BLOCK];
	uint8_t have[GM_FUSE_BLOCK];
	size_t done;

	for (done = 0; done + GM_FUSE_BLOCK <= count; done += GM_FUSE_BLOCK) {
		__mmask64 same;

		hash_block(fuse, keys + done, at, want);
		gm_fuse_rest(fuse, (const uint32_t (*)[GM_FUSE_BLOCK])at, have);
		same = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(want), _mm512_loadu_si512(have));
		_mm512_storeu_si512(answers + done, _mm512_maskz_mov_epi8(same, one));
	}
	return done;
}
