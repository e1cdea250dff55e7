/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of gm_literals. A literal's window is four of its bytes; the filter tests the record at
 * even places t, and the window begins at t or at t - 1 (its alignment). Of six and more bytes, the
 * filter also tests the 3-gram that follows at t + 2.
 */
#ifndef GM_LITERAL_LITERALS_H
#define GM_LITERAL_LITERALS_H

#include "gm/aho_corasick.h"
#include "pattern/literal.h"

enum {
	GM_WINDOW = 4,
	GM_BLOCK = 8, /* bytes that a step of the filter takes */
	GM_BLOCK_READ = 10, /* bytes that it reads */
	/*
	 * Buckets 0-3 have windows that begin at t, 4-7 at t - 1. Of each four, the first is for
	 * literals that end before a next gram, the second for those that know two bytes of it.
	 */
	GM_BUCKETS_EVEN = 0x0f,
	GM_BUCKETS_ODD = 0xf0,
};

/* Case is folded by a bit that also maps other bytes: a filter may pass too much. */
#define GM_FOLD_BITS UINT32_C(0x20202020)

struct gm_window {
	uint32_t key; /* its bytes, folded if the set is */
	uint32_t literal;
	uint32_t offset; /* in the literal */
};

struct gm_literals_record;

struct gm_literals {
	struct gm_literal_set set;
	struct gm_marks marks;
	uint32_t fold; /* GM_FOLD_BITS or 0 */
	/* Of a hashed gram: low byte its buckets as first gram, high byte as the next one. */
	uint16_t *filter;
	uint32_t filter_shift;
	uint32_t *heads; /* windows[heads[h]] ... are those with hash h */
	uint32_t head_shift;
	struct gm_window *windows;
	/* A bit for each hash of a window: what a path that tests many places asks before `heads`. */
	uint8_t *likely;
	uint32_t likely_shift;
	struct gm_ac *ac; /* instead of all this, for sets with a literal below four bytes */
	/* A processor's own path through a record; returns where it stopped. NULL: there is none. */
	uint32_t (*body)(struct gm_literals *literals, struct gm_literals_record *record);
	uint32_t filter_most; /* more literals go through the automaton */
	const char *impl;
	size_t bytes;
};

/* A record while it is scanned. */
struct gm_literals_record {
	const uint8_t *text;
	uint32_t length;
	uint32_t number;
	uint32_t stamp;
	uint32_t previous; /* the filter's entry at the last tested place */
	struct gm_pairs *pairs;
};

/* Four bytes, the first the lowest, at any alignment. */
static inline uint32_t gm_read32(const uint8_t *text)
{
	return (uint32_t)text[0] | (uint32_t)text[1] << 8 | (uint32_t)text[2] << 16 |
	       (uint32_t)text[3] << 24;
}

/*
 * The hash of the lower three of four bytes. The factor's low half moves the third byte's five low
 * bits to the top of the product and the fourth byte out of it: a 3-gram whose third byte may be
 * anything has 32 hashes instead of 256.
 */
#define GM_GRAM_FACTOR UINT32_C(0x9e370800)
#define GM_GRAM_THIRDS 32

static inline uint32_t gm_gram_hash(uint32_t bytes, uint32_t shift)
{
	return (bytes * GM_GRAM_FACTOR) >> shift;
}

static inline uint32_t gm_window_hash(uint32_t key, uint32_t shift)
{
	key *= UINT32_C(0x85ebca6b);
	return ((key ^ key >> 15) * UINT32_C(0xc2b2ae35)) >> shift;
}

/*
 * Adds a place if a window is likely there, and returns how many there are then. Without a branch: a
 * wrong guess of the processor costs several times the test. Four bytes at the place are read.
 */
static inline uint32_t gm_window_keep(const struct gm_literals *literals, const uint8_t *text,
				      uint32_t place, uint32_t *kept, uint32_t count)
{
	uint32_t key = gm_read32(text + place) | literals->fold;
	uint32_t hash = gm_window_hash(key, literals->likely_shift);

	kept[count] = place;
	return count + (literals->likely[hash / 8] >> hash % 8 & 1);
}

/* Adds the literals whose window is at this place, which has four bytes behind it. */
void gm_window_confirm(struct gm_literals *literals, struct gm_literals_record *record,
		       uint32_t place);

/* Eight even places in a step, where it can take whole steps. */
uint32_t gm_literals_body_avx2(struct gm_literals *literals, struct gm_literals_record *record);

/* Sixteen in a step. */
uint32_t gm_literals_body_avx512(struct gm_literals *literals, struct gm_literals_record *record);

#endif
