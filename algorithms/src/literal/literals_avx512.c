/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter's path for AVX-512: sixteen even places at once. The places that pass are packed one
 * behind the other, without a branch.
 */
#include "literal/literals.h"

#include <immintrin.h>

enum { STEP = 32, STEP_READ = STEP + 2, PLACES = 16, QUEUE = 64 };

/* Tests `steps` of 32 bytes; returns how many places passed. */
static inline uint32_t steps_test(const struct gm_literals *literals, const uint8_t *text,
				  uint32_t place, uint32_t steps, __m512i *previous,
				  uint32_t *queue)
{
	/* The four bytes at places 0, 2, ... 30 are the words 0 1, 1 2, ... 15 16. */
	const __m512i first =
		_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512i spread = _mm512_or_si512(
		first, _mm512_slli_epi32(_mm512_add_epi32(first, _mm512_set1_epi32(1)), 16));
	const __m512i factor = _mm512_set1_epi32((int)GM_GRAM_FACTOR);
	const __m512i fold = _mm512_set1_epi32((int)literals->fold);
	const __m512i low = _mm512_set1_epi32(0xff);
	const __m128i shift = _mm_cvtsi32_si128((int)literals->filter_shift);
	__m512i last = *previous;
	/* An entry's buckets belong to the place before. */
	__m512i places =
		_mm512_add_epi32(_mm512_slli_epi32(first, 1), _mm512_set1_epi32((int)place - 2));
	uint32_t count = 0;

	for (uint32_t step = 0; step < steps; step++, text += STEP) {
		__m512i words = _mm512_maskz_loadu_epi16((1U << (PLACES + 1)) - 1, text);
		__m512i grams = _mm512_or_si512(_mm512_permutexvar_epi16(spread, words), fold);
		__m512i hashes = _mm512_srl_epi32(_mm512_mullo_epi32(grams, factor), shift);
		__m512i entries = _mm512_i32gather_epi32(hashes, literals->filter, 2);
		__m512i before = _mm512_alignr_epi32(entries, last, 15);
		__m512i next = _mm512_and_si512(_mm512_srli_epi32(entries, 8), low);
		__mmask16 pass = _mm512_test_epi32_mask(before, next);

		_mm512_storeu_si512(queue + count, _mm512_maskz_compress_epi32(pass, places));
		count += (uint32_t)_mm_popcnt_u32(pass);
		places = _mm512_add_epi32(places, _mm512_set1_epi32(STEP));
		last = entries;
	}
	*previous = last;
	return count;
}

uint32_t gm_literals_body_avx512(struct gm_literals *literals, struct gm_literals_record *record)
{
	uint32_t queue[(QUEUE + 1) * PLACES];
	uint32_t kept[2 * QUEUE * PLACES + 1]; /* two windows a place, and one that is not kept */
	__m512i previous = _mm512_setzero_si512();
	uint32_t place = 0;

	while (record->length - place >= STEP_READ) {
		uint32_t steps = (record->length - place - STEP_READ) / STEP + 1;
		uint32_t count = 0;
		uint32_t passes;

		steps = steps < QUEUE ? steps : QUEUE;
		passes = steps_test(literals, record->text + place, place, steps, &previous, queue);
		/* The place before a record's first has no buckets, so no place wraps. */
		for (uint32_t i = 0; i < passes; i++) {
			count = gm_window_keep(literals, record->text, queue[i], kept, count);
			count = gm_window_keep(literals, record->text, queue[i] - (queue[i] > 0),
					       kept, count);
		}
		for (uint32_t i = 0; i < count; i++)
			gm_window_confirm(literals, record, kept[i]);
		place += steps * STEP;
	}
	record->previous = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(
				   _mm512_alignr_epi32(previous, previous, 15))) &
			   0xffff;
	return place;
}
