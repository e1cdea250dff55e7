/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/literal.h"

#include "common/grow.h"
#include "gm/digest.h"
#include "payload/result.h"

#include <stdlib.h>

int gm_literal_set_copy(struct gm_literal_set *set, const struct gm_literal *literals,
			uint32_t count)
{
	uint32_t at = 0;

	memset(set, 0, sizeof(*set));
	set->shortest = UINT32_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (literals[i].length == 0 || literals[i].length > UINT32_MAX / 4 - set->total)
			return -1;
		set->total += literals[i].length;
	}
	set->literals = malloc(((size_t)count + 1) * sizeof(*set->literals));
	set->pool = malloc((size_t)set->total + 1);
	if (!set->literals || !set->pool)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		const struct gm_literal *literal = &literals[i];

		set->literals[i] = *literal;
		set->literals[i].bytes = set->pool + at;
		memcpy(set->pool + at, literal->bytes, literal->length);
		at += literal->length;
		set->nocase |= literal->nocase;
		set->ids = literal->id >= set->ids ? literal->id + 1 : set->ids;
		set->shortest = literal->length < set->shortest ? literal->length : set->shortest;
	}
	set->count = count;
	return 0;
}

void gm_literal_set_free(struct gm_literal_set *set)
{
	free(set->literals);
	free(set->pool);
}

int gm_marks_init(struct gm_marks *marks, uint32_t ids, uint32_t lanes)
{
	marks->ids = ids;
	marks->lanes = lanes;
	marks->last = 0;
	marks->stamps = calloc((size_t)ids * lanes + 1, sizeof(*marks->stamps));
	return marks->stamps ? 0 : -1;
}

void gm_marks_free(struct gm_marks *marks)
{
	free(marks->stamps);
}

uint32_t gm_marks_next(struct gm_marks *marks)
{
	if (++marks->last == 0) {
		memset(marks->stamps, 0, (size_t)marks->ids * marks->lanes * sizeof(uint32_t));
		marks->last = 1;
	}
	return marks->last;
}

static int pair_order(const void *left, const void *right)
{
	const struct gm_pair *a = left;
	const struct gm_pair *b = right;

	if (a->record != b->record)
		return a->record < b->record ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

void gm_pairs_sort(struct gm_pairs *pairs)
{
	uint32_t kept = pairs->count < pairs->room ? pairs->count : pairs->room;

	if (kept)
		qsort(pairs->pairs, kept, sizeof(*pairs->pairs), pair_order);
}

uint64_t gm_pairs_digest(const struct gm_pairs *pairs, uint32_t records)
{
	uint32_t kept = pairs->count < pairs->room ? pairs->count : pairs->room;
	uint64_t digest = GM_DIGEST_EMPTY;
	uint32_t from = 0;

	for (uint32_t record = 0; record < records; record++) {
		uint32_t to = from;

		while (to < kept && pairs->pairs[to].record == record)
			to++;
		digest = gm_digest_u32(digest, to - from);
		for (; from < to; from++)
			digest = gm_digest_u32(digest, pairs->pairs[from].id);
	}
	return digest;
}

int gm_pairs_result(const struct gm_pairs *pairs, struct gm_result *result)
{
	uint32_t kept = pairs->count < pairs->room ? pairs->count : pairs->room;
	void *ids = gm_grow(result->ids, &result->room, kept + 1, sizeof(uint32_t));

	if (!ids)
		return GM_MATCH_MEMORY;
	result->ids = ids;
	memset(result->count, 0, result->records * sizeof(uint32_t));
	for (uint32_t i = 0; i < kept; i++)
		result->count[pairs->pairs[i].record]++;
	result->used = 0;
	for (uint32_t i = 0; i < result->records; i++) {
		result->first[i] = result->used;
		result->used += result->count[i];
		result->count[i] = 0;
	}
	for (uint32_t i = 0; i < kept; i++) {
		uint32_t record = pairs->pairs[i].record;

		result->ids[result->first[record] + result->count[record]++] = pairs->pairs[i].id;
	}
	return GM_MATCH_OK;
}
