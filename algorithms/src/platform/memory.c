/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/platform.h"
#include "gm/random.h"

void gm_chase_init(uint32_t *words, uint32_t count, uint32_t stride, uint64_t seed)
{
	struct gm_random random = { seed };

	/* A permutation in the cells' first words, then shuffled to one cycle. */
	for (uint32_t i = 0; i < count; i++)
		words[(uint64_t)i * stride] = i * stride;
	for (uint32_t i = count; i-- > 1;) {
		uint32_t *left = &words[(uint64_t)i * stride];
		uint32_t *right = &words[(uint64_t)gm_random_below(&random, i) * stride];
		uint32_t kept = *left;

		*left = *right;
		*right = kept;
	}
}

uint32_t gm_chase(const uint32_t *words, uint32_t at, uint32_t loads)
{
	for (; loads >= 8; loads -= 8) {
		at = words[words[words[words[at]]]];
		at = words[words[words[words[at]]]];
	}
	for (; loads; loads--)
		at = words[at];
	return at;
}

void gm_copy_u32(const uint32_t *restrict from, uint32_t *restrict to, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = from[i];
}

/* An odd factor: no two words are equal. */
static uint32_t word_at(uint32_t i)
{
	return (i + 1) * 2654435761U;
}

void gm_copy_u32_init(uint32_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		from[i] = word_at(i);
}

uint32_t gm_copy_u32_errors(const uint32_t *to, uint32_t count)
{
	uint32_t errors = 0;

	for (uint32_t i = 0; i < count; i++)
		errors += to[i] != word_at(i);
	return errors;
}

uint32_t gm_read_sum(const uint32_t *words, uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += words[i];
	return sum;
}
