/* SPDX-License-Identifier: Apache-2.0 */
/* Random literals and records over few letters, and the pairs that a plain search finds. */
#ifndef GM_TESTS_LITERALS_H
#define GM_TESTS_LITERALS_H

#include "gm/literals.h"
#include "gm/random.h"

#include <stdlib.h>
#include <string.h>

enum { CASE_LITERALS = 128, CASE_RECORDS = 40, CASE_BYTES = 8192, CASE_PAIRS = 8192 };

struct literal_case {
	struct gm_literal literals[CASE_LITERALS];
	uint32_t literal_count;
	uint32_t starts[CASE_RECORDS + 1];
	struct gm_records records;
	uint8_t pool[CASE_BYTES];
	uint8_t *text; /* of its own size, so that a sanitizer sees a read beyond it */
	struct gm_pair expected_pairs[CASE_PAIRS];
	struct gm_pairs expected;
};

struct literal_shape {
	uint32_t letters; /* so many different bytes ... */
	uint32_t least, most; /* length of literals */
	uint32_t literals;
	uint32_t records;
	uint32_t longest; /* record */
	uint32_t nocase; /* of 4 literals, so many */
};

/* Letters of both cases, with the highest and the lowest byte among the first. */
static const uint8_t case_letters[] = "aA\0\xff"
				      "bBcCdDeEfFgGhHiIjJkKlLmMnNoOpPqQrRsStT";

static inline int case_equal(const struct gm_literal *literal, const uint8_t *text)
{
	for (uint32_t i = 0; i < literal->length; i++) {
		uint8_t a = literal->bytes[i];
		uint8_t b = text[i];

		if (literal->nocase && a >= 'A' && a <= 'Z')
			a = (uint8_t)(a + 32);
		if (literal->nocase && b >= 'A' && b <= 'Z')
			b = (uint8_t)(b + 32);
		if (a != b)
			return 0;
	}
	return 1;
}

static inline int case_has(const struct literal_case *given, uint32_t record, uint32_t id)
{
	for (uint32_t i = 0; i < given->literal_count; i++) {
		const struct gm_literal *literal = &given->literals[i];

		if (literal->id != id)
			continue;
		for (uint32_t at = given->starts[record];
		     at + literal->length <= given->starts[record + 1]; at++) {
			if (case_equal(literal, given->text + at))
				return 1;
		}
	}
	return 0;
}

static inline uint8_t case_letter(struct gm_random *random, uint32_t letters)
{
	return case_letters[gm_random_below(random, letters)];
}

static inline void case_make(struct literal_case *made, const struct literal_shape *shape,
			     uint64_t seed)
{
	struct gm_random random = { seed };
	uint32_t pool = 0;

	made->literal_count = shape->literals;
	for (uint32_t i = 0; i < shape->literals; i++) {
		struct gm_literal *literal = &made->literals[i];

		literal->length =
			shape->least + gm_random_below(&random, shape->most - shape->least + 1);
		literal->bytes = made->pool + pool;
		literal->id = gm_random_below(&random, shape->literals);
		literal->nocase = gm_random_below(&random, 4) < shape->nocase;
		for (uint32_t j = 0; j < literal->length; j++)
			made->pool[pool++] = case_letter(&random, shape->letters);
	}
	made->starts[0] = 0;
	for (uint32_t i = 0; i < shape->records; i++)
		made->starts[i + 1] =
			made->starts[i] + gm_random_below(&random, shape->longest + 1);
	made->text = malloc(made->starts[shape->records] + (size_t)1);
	for (uint32_t i = 0; i < made->starts[shape->records]; i++)
		made->text[i] = case_letter(&random, shape->letters);
	made->records.bytes = made->text;
	made->records.offsets = made->starts;
	made->records.count = shape->records;
	made->expected.pairs = made->expected_pairs;
	made->expected.room = CASE_PAIRS;
	made->expected.count = 0;
	for (uint32_t record = 0; record < shape->records; record++) {
		for (uint32_t id = 0; id < shape->literals; id++) {
			if (case_has(made, record, id))
				gm_pairs_add(&made->expected, record, id);
		}
	}
}

static inline int pairs_equal(const struct gm_pairs *a, const struct gm_pairs *b)
{
	if (a->count != b->count)
		return 0;
	for (uint32_t i = 0; i < a->count; i++) {
		if (a->pairs[i].record != b->pairs[i].record || a->pairs[i].id != b->pairs[i].id)
			return 0;
	}
	return 1;
}

static const struct literal_shape literal_shapes[] = {
	{ 2, 1, 4, 6, 3, 40, 0 },      { 2, 1, 6, 20, 17, 60, 2 },    { 3, 4, 9, 40, 20, 100, 0 },
	{ 4, 2, 5, 30, 8, 90, 1 },     { 4, 3, 7, 60, 9, 120, 4 },    { 6, 4, 12, 100, 40, 64, 2 },
	{ 12, 4, 6, 128, 30, 200, 1 }, { 40, 1, 3, 128, 25, 300, 0 }, { 40, 4, 5, 128, 12, 600, 3 },
	{ 2, 8, 16, 100, 30, 150, 0 }, { 4, 4, 4, 1, 30, 33, 0 },     { 4, 4, 6, 8, 16, 250, 2 },
	{ 4, 1, 2, 3, 1, 0, 0 },       { 3, 2, 3, 0, 5, 30, 0 },
};

enum { LITERAL_SHAPES = sizeof(literal_shapes) / sizeof(literal_shapes[0]) };

#endif
