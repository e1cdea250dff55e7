/* SPDX-License-Identifier: Apache-2.0 */
/* What the engines for literals share: case folding, own copies of a set, marks of reported ids. */
#ifndef GM_PATTERN_LITERAL_H
#define GM_PATTERN_LITERAL_H

#include "gm/literals.h"

#include <string.h>

static inline uint8_t gm_fold(uint8_t byte)
{
	return (uint8_t)(byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte);
}

/* Is the literal at `text`, which has at least its length? */
static inline int gm_literal_at(const struct gm_literal *literal, const uint8_t *text)
{
	if (!literal->nocase)
		return memcmp(literal->bytes, text, literal->length) == 0;
	for (uint32_t i = 0; i < literal->length; i++) {
		if (gm_fold(literal->bytes[i]) != gm_fold(text[i]))
			return 0;
	}
	return 1;
}

/* A set of literals with its own bytes. */
struct gm_literal_set {
	struct gm_literal *literals;
	uint8_t *pool;
	uint32_t count;
	uint32_t total; /* bytes of all */
	uint32_t ids; /* one more than the largest */
	uint32_t shortest;
	int nocase; /* does any have it? */
};

/* 0, or -1 without memory or for an empty literal; free it in both cases. */
int gm_literal_set_copy(struct gm_literal_set *set, const struct gm_literal *literals,
			uint32_t count);
void gm_literal_set_free(struct gm_literal_set *set);

/*
 * Which ids were reported of the record at hand: a stamp for each id and lane, where a lane is one
 * of the records that are scanned in turn. A new stamp for each record saves clearing.
 */
struct gm_marks {
	uint32_t *stamps;
	uint32_t ids;
	uint32_t lanes;
	uint32_t last;
};

int gm_marks_init(struct gm_marks *marks, uint32_t ids, uint32_t lanes);
void gm_marks_free(struct gm_marks *marks);

/* The stamp of a new record. */
uint32_t gm_marks_next(struct gm_marks *marks);

/* Marks an id; 1 if it was not marked yet. */
static inline int gm_marks_set(struct gm_marks *marks, uint32_t lane, uint32_t id, uint32_t stamp)
{
	uint32_t *place = &marks->stamps[(size_t)lane * marks->ids + id];
	int fresh = *place != stamp;

	*place = stamp;
	return fresh;
}

#endif
