/* SPDX-License-Identifier: Apache-2.0 */
/* DIR-24-8 with AVX-512: sixteen keys at once, so that many loads are under way. */
#include "gm/dir24.h"

#include <immintrin.h>

enum { KEYS = 16 };

/* A gather reads four bytes, of which the lower two are the slot: the arrays have room for that. */
static inline __m512i slots_at(__m512i places, const uint16_t *slots)
{
	return _mm512_and_si512(_mm512_i32gather_epi32(places, slots, sizeof(*slots)),
				_mm512_set1_epi32(0xffff));
}

void gm_dir24_lookup_n_avx512(const struct gm_dir24 *table, const uint32_t *keys, uint32_t *results,
			      size_t count)
{
	const __m512i low = _mm512_set1_epi32(255);
	const __m512i group = _mm512_set1_epi32(GM_DIR24_GROUP);
	size_t i = 0;

	for (; count - i >= KEYS; i += KEYS) {
		__m512i some = _mm512_loadu_si512(keys + i);
		__m512i slots = slots_at(_mm512_srli_epi32(some, 8), table->first);
		__mmask16 below = _mm512_test_epi32_mask(slots, group);

		if (below) {
			__m512i named = _mm512_slli_epi32(_mm512_andnot_si512(group, slots), 8);
			__m512i places = _mm512_or_si512(named, _mm512_and_si512(some, low));

			slots = _mm512_mask_i32gather_epi32(slots, below, places, table->groups,
							    sizeof(*table->groups));
			slots = _mm512_and_si512(slots, _mm512_set1_epi32(0xffff));
		}
		_mm512_storeu_si512(results + i, slots);
	}
	gm_dir24_lookup_n(table, keys + i, results + i, count - i);
}
