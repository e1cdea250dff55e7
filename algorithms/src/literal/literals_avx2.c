/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filter's path for AVX2: eight even places at once, their entries by one gather. What passes is
 * put into a queue without a branch, because a branch that is seldom taken costs more than it tests.
 */
#include "literal/literals.h"

#include <immintrin.h>

enum { STEP = 16, STEP_READ = 24, QUEUE = 64 };

struct passed {
	uint32_t buckets[8];
	uint32_t place; /* of the second; the first is the place before */
};

/* Adds the windows that are likely at the places that passed; returns how many there are then. */
static inline uint32_t passed_keep(const struct gm_literals *literals, const uint8_t *text,
				   const struct passed *passed, uint32_t *kept, uint32_t count)
{
	__m256i buckets = _mm256_loadu_si256((const __m256i *)passed->buckets);
	__m256i none = _mm256_cmpeq_epi32(buckets, _mm256_setzero_si256());
	uint32_t left = ~(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(none)) & 0xff;

	/* The place before a record's first has no buckets, so no place wraps. */
	do {
		uint32_t place = passed->place + 2 * (uint32_t)_tzcnt_u32(left) - 2;

		count = gm_window_keep(literals, text, place, kept, count);
		count = gm_window_keep(literals, text, place - (place > 0), kept, count);
		left &= left - 1;
	} while (left);
	return count;
}

/* Tests `steps` of 16 bytes; returns a bit for each that has places that pass. */
static inline uint64_t steps_test(const struct gm_literals *literals, const uint8_t *text,
				  uint32_t place, uint32_t steps, __m256i *previous,
				  struct passed *queue)
{
	/* Of each half's eight and two bytes: the four bytes at places 0, 2, 4 and 6. */
	const __m256i spread = _mm256_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 0,
						1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9);
	const __m256i rotate = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
	const __m256i factor = _mm256_set1_epi32((int)GM_GRAM_FACTOR);
	const __m256i fold = _mm256_set1_epi32((int)literals->fold);
	const __m256i low = _mm256_set1_epi32(0xff);
	const __m128i shift = _mm_cvtsi32_si128((int)literals->filter_shift);
	const int *filter = (const int *)(const void *)literals->filter;
	__m256i last = *previous;
	uint64_t passes = 0;

	for (uint32_t step = 0; step < steps; step++, text += STEP, place += STEP) {
		__m256i halves =
			_mm256_loadu2_m128i((const __m128i *)(text + 8), (const __m128i *)text);
		__m256i grams = _mm256_or_si256(_mm256_shuffle_epi8(halves, spread), fold);
		__m256i hashes = _mm256_srl_epi32(_mm256_mullo_epi32(grams, factor), shift);
		__m256i entries = _mm256_i32gather_epi32(filter, hashes, 2);
		__m256i rotated = _mm256_permutevar8x32_epi32(entries, rotate);
		__m256i before = _mm256_blend_epi32(rotated, last, 1);
		__m256i next = _mm256_and_si256(_mm256_srli_epi32(entries, 8), low);
		__m256i buckets = _mm256_and_si256(before, next);

		_mm256_storeu_si256((__m256i *)queue[step].buckets, buckets);
		queue[step].place = place;
		passes |= (uint64_t)!_mm256_testz_si256(buckets, buckets) << step;
		last = rotated;
	}
	*previous = last;
	return passes;
}

uint32_t gm_literals_body_avx2(struct gm_literals *literals, struct gm_literals_record *record)
{
	struct passed queue[QUEUE];
	uint32_t kept[QUEUE * STEP + 1]; /* two windows a place, and one that is not kept */
	__m256i previous = _mm256_setzero_si256();
	uint32_t place = 0;

	while (record->length - place >= STEP_READ) {
		uint32_t steps = (record->length - place - STEP_READ) / STEP + 1;
		uint32_t count = 0;
		uint64_t passes;

		steps = steps < QUEUE ? steps : QUEUE;
		passes = steps_test(literals, record->text + place, place, steps, &previous, queue);
		for (; passes; passes &= passes - 1)
			count = passed_keep(literals, record->text, &queue[_tzcnt_u64(passes)],
					    kept, count);
		for (uint32_t i = 0; i < count; i++)
			gm_window_confirm(literals, record, kept[i]);
		place += steps * STEP;
	}
	record->previous = (uint32_t)_mm256_cvtsi256_si32(previous) & 0xffff;
	return place;
}
