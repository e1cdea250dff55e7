/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight keys at once: their hashes and slots by AVX-512, the bytes of the slots by single loads,
 * which are faster than gathers of bytes, and the comparison by AVX-512 again.
 */
#include "filter/binary_fuse.h"

#include <immintrin.h>
#include <string.h>

enum { LANES = 8 };

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

size_t gm_binary_fuse_find_avx512(const struct gm_binary_fuse *fuse, const uint64_t *keys,
				  size_t count, uint8_t *answers)
{
	const __m512i seed = _mm512_set1_epi64((long long)fuse->seed);
	const __m512i span = _mm512_set1_epi64(fuse->span);
	const __m512i segment = _mm512_set1_epi64(fuse->segment);
	const __m512i segments = _mm512_add_epi64(segment, segment);
	const __m512i mask = _mm512_set1_epi64((long long)fuse->segment - 1);
	const uint8_t *tags = fuse->tags;
	uint64_t at[3][LANES];
	size_t i;

	for (i = 0; i + LANES <= count; i += LANES) {
		__m512i hash = mix(_mm512_add_epi64(_mm512_loadu_si512(keys + i), seed));
		__m512i first = first_slots(hash, span);
		__m512i tag = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
		uint8_t rest[LANES];
		__m128i left;

		_mm512_storeu_si512(at[0], first);
		_mm512_storeu_si512(at[1],
				    other_slots(first, segment, _mm512_srli_epi64(hash, 18), mask));
		_mm512_storeu_si512(at[2], other_slots(first, segments, hash, mask));
		for (int lane = 0; lane < LANES; lane++)
			rest[lane] = (uint8_t)(tags[at[0][lane]] ^ tags[at[1][lane]] ^
					       tags[at[2][lane]]);
		left = _mm_cmpeq_epi8(_mm_loadl_epi64((const __m128i *)(const void *)rest),
				      _mm512_cvtepi64_epi8(tag));
		_mm_storel_epi64((__m128i *)(void *)(answers + i),
				 _mm_and_si128(left, _mm_set1_epi8(1)));
	}
	return i;
}
