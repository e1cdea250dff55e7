/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR-20-4-8 with AVX-512. Four vectors of keys go through each step together: the loads of the
 * second step are asked for while those of the others' first are still under way.
 */
#include "gm/dir20.h"

#include <immintrin.h>

enum { KEYS = 16, VECTORS = 4, STEP = KEYS * VECTORS };

/* A gather reads four bytes, of which the lower two are the slot: the arrays have room for that. */
static inline __m512i slots_at(__m512i before, __mmask16 which, __m512i places,
			       const uint16_t *slots)
{
	return _mm512_and_si512(_mm512_mask_i32gather_epi32(before, which, places, slots,
							    sizeof(*slots)),
				_mm512_set1_epi32(0xffff));
}

static inline __m512i first_of(const struct gm_dir20 *table, __m512i keys)
{
	return _mm512_i32gather_epi32(_mm512_srli_epi32(keys, 12), table->first,
				      sizeof(*table->first));
}

/* What the first slots lead to. A block's mark is its slot's highest bit, which is shifted out. */
static inline __m512i below(const struct gm_dir20 *table, __m512i keys, __m512i slots)
{
	const __m512i group = _mm512_set1_epi32(GM_DIR24_GROUP);
	__m512i part = _mm512_and_si512(_mm512_srli_epi32(keys, 8), _mm512_set1_epi32(15));
	__m512i places = _mm512_or_si512(_mm512_slli_epi32(slots, 4), part);
	__mmask16 grouped;

	slots = slots_at(slots, _mm512_movepi32_mask(slots), places, table->blocks);
	grouped = _mm512_test_epi32_mask(slots, group);
	if (grouped) {
		part = _mm512_and_si512(keys, _mm512_set1_epi32(255));
		places = _mm512_slli_epi32(_mm512_andnot_si512(group, slots), 8);
		slots = slots_at(slots, grouped, _mm512_or_si512(places, part), table->groups);
	}
	return slots;
}

void gm_dir20_lookup_n_avx512(const struct gm_dir20 *table, const uint32_t *keys, uint32_t *results,
			      size_t count)
{
	size_t i = 0;

	for (; count - i >= STEP; i += STEP) {
		__m512i some[VECTORS];
		__m512i slots[VECTORS];

		for (size_t j = 0; j < VECTORS; j++) {
			some[j] = _mm512_loadu_si512(keys + i + KEYS * j);
			slots[j] = first_of(table, some[j]);
		}
		for (size_t j = 0; j < VECTORS; j++)
			_mm512_storeu_si512(results + i + KEYS * j,
					    below(table, some[j], slots[j]));
	}
	gm_dir20_lookup_n(table, keys + i, results + i, count - i);
}
