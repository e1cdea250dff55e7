/* SPDX-License-Identifier: Apache-2.0 */
/* The filter's path for AVX2: eight even places at once, their entries by one gather. */
#include "match/literals.h"

#include <immintrin.h>

enum { STEP = 16, STEP_READ = 24 };

static void places_confirm(struct gm_literals *literals, struct gm_literals_record *record,
			   uint32_t place, __m256i buckets)
{
	uint32_t each[8];

	_mm256_storeu_si256((__m256i *)each, buckets);
	/* The first is the place before; at a record's start it has no buckets. */
	for (uint32_t i = 0; i < 8; i++) {
		if (each[i])
			gm_literals_confirm(literals, record, place + 2 * i - 2, each[i]);
	}
}

uint32_t gm_literals_body_avx2(struct gm_literals *literals, struct gm_literals_record *record)
{
	/* Of each half's eight and two bytes: the four bytes at places 0, 2, 4 and 6. */
	const __m256i spread = _mm256_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 0,
						1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9);
	const __m256i rotate = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	const __m256i factor = _mm256_set1_epi32((int)(GM_GRAM_FACTOR << 8));
	const __m256i fold = _mm256_set1_epi32((int)literals->fold);
	const __m256i low = _mm256_set1_epi32(0xff);
	const __m128i shift = _mm_cvtsi32_si128((int)literals->filter_shift);
	const int *filter = (const int *)(const void *)literals->filter;
	__m256i previous = _mm256_setzero_si256();
	uint32_t place = 0;

	for (; record->length - place >= STEP_READ; place += STEP) {
		const uint8_t *text = record->text + place;
		__m256i halves =
			_mm256_loadu2_m128i((const __m128i *)(text + 8), (const __m128i *)text);
		__m256i grams = _mm256_or_si256(_mm256_shuffle_epi8(halves, spread), fold);
		__m256i hashes = _mm256_srl_epi32(_mm256_mullo_epi32(grams, factor), shift);
		__m256i entries = _mm256_i32gather_epi32(filter, hashes, 2);
		__m256i rotated = _mm256_permutevar8x32_epi32(entries, rotate);
		__m256i before = _mm256_blend_epi32(rotated, previous, 1);
		__m256i next = _mm256_and_si256(_mm256_srli_epi32(entries, 8), low);

		previous = rotated;
		if (!_mm256_testz_si256(before, next))
			places_confirm(literals, record, place, _mm256_and_si256(before, next));
	}
	record->previous = (uint32_t)_mm256_cvtsi256_si32(previous) & 0xffff;
	return place;
}
