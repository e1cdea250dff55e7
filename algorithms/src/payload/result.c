/* SPDX-License-Identifier: Apache-2.0 */
#include "payload/result.h"

#include "common/grow.h"
#include "gm/digest.h"

#include <stdlib.h>
#include <string.h>

int gm_result_init(struct gm_result *result, uint32_t records)
{
	memset(result, 0, sizeof(*result));
	result->records = records;
	result->first = calloc(records + (size_t)1, sizeof(uint32_t));
	result->count = calloc(records + (size_t)1, sizeof(uint32_t));
	if (result->first && result->count)
		return GM_MATCH_OK;
	gm_result_free(result);
	return GM_MATCH_MEMORY;
}

void gm_result_free(struct gm_result *result)
{
	free(result->first);
	free(result->count);
	free(result->ids);
	memset(result, 0, sizeof(*result));
}

void gm_result_clear(struct gm_result *result)
{
	result->used = 0;
	memset(result->count, 0, result->records * sizeof(uint32_t));
}

int gm_hits_init(struct gm_hits *hits, uint32_t patterns)
{
	memset(hits, 0, sizeof(*hits));
	hits->patterns = patterns;
	hits->bits = calloc(patterns / 32 + (size_t)1, sizeof(uint32_t));
	hits->ids = calloc(patterns + (size_t)1, sizeof(uint32_t));
	if (hits->bits && hits->ids)
		return GM_MATCH_OK;
	gm_hits_free(hits);
	return GM_MATCH_MEMORY;
}

void gm_hits_free(struct gm_hits *hits)
{
	free(hits->bits);
	free(hits->ids);
	memset(hits, 0, sizeof(*hits));
}

int gm_result_close(struct gm_result *result, uint32_t record, struct gm_hits *hits)
{
	result->first[record] = result->used;
	result->count[record] = hits->count;
	if (!hits->count)
		return GM_MATCH_OK;
	if (hits->count > result->room - result->used) {
		void *grown = gm_grow(result->ids, &result->room, result->used + hits->count,
				      sizeof(uint32_t));

		if (!grown)
			return GM_MATCH_MEMORY;
		result->ids = grown;
	}
	for (uint32_t i = 0; i < hits->count; i++) {
		uint32_t id = hits->ids[i];

		result->ids[result->used++] = id;
		hits->bits[id >> 5] &= ~(UINT32_C(1) << (id & 31));
	}
	hits->count = 0;
	return GM_MATCH_OK;
}

static int by_value(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

uint64_t gm_result_digest(struct gm_result *result)
{
	uint64_t digest = GM_DIGEST_EMPTY;

	for (uint32_t i = 0; i < result->records; i++) {
		uint32_t count = result->count[i];

		digest = gm_digest_u32(digest, count);
		if (!count)
			continue;
		qsort(result->ids + result->first[i], count, sizeof(uint32_t), by_value);
		digest = gm_digest_u32s(digest, result->ids + result->first[i], count);
	}
	return digest;
}

uint64_t gm_result_pairs(const struct gm_result *result)
{
	uint64_t pairs = 0;

	for (uint32_t i = 0; i < result->records; i++)
		pairs += result->count[i];
	return pairs;
}
