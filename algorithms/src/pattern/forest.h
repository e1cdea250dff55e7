/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees of regular expressions. Those of a pattern set live in one forest; a node and a set are named
 * by their index, and node 0 is no node.
 */
#ifndef GM_PATTERN_FOREST_H
#define GM_PATTERN_FOREST_H

#include <stdint.h>

/* The `most` of * and + and {n,}. */
#define GM_REGEX_UNBOUNDED UINT32_MAX

enum {
	GM_REGEX_NESTING = 250, /* groups in groups */
	GM_REGEX_POSITIONS = 4096, /* byte sets and assertions after repeats are copied */
};

enum gm_regex_flag {
	GM_REGEX_CASELESS = 1, /* i: ASCII letters alone */
	GM_REGEX_DOT_ALL = 2, /* s: `.` is also a newline */
	GM_REGEX_MULTILINE = 4, /* m: ^ and $ at each line */
	GM_REGEX_EXTENDED = 8, /* x: white space and comments are left out */
	GM_REGEX_ANCHORED = 16, /* A: matches at the start of the record only */
	GM_REGEX_DOLLAR_NEWLINE = 32, /* $ also before a newline that ends the record */
	GM_REGEX_LITERAL = 64, /* the text is no expression but bytes */
};

/* A set of bytes: byte b is bit b % 32 of word b / 32. */
struct gm_byteset {
	uint32_t words[8];
};

static inline int gm_byteset_has(const struct gm_byteset *set, unsigned byte)
{
	return (int)(set->words[byte >> 5] >> (byte & 31)) & 1;
}

static inline void gm_byteset_add(struct gm_byteset *set, unsigned byte)
{
	set->words[byte >> 5] |= UINT32_C(1) << (byte & 31);
}

/* How many bytes are in the set. */
unsigned gm_byteset_count(const struct gm_byteset *set);

enum gm_node_kind {
	GM_NODE_EMPTY, /* matches nothing long */
	GM_NODE_SET, /* one byte of set `value` */
	GM_NODE_ASSERT, /* enum gm_assert in `value` */
	GM_NODE_JOIN, /* its children one after the other */
	GM_NODE_EITHER, /* one of its children */
	GM_NODE_REPEAT, /* its only child, least..most times */
};

enum gm_assert {
	GM_ASSERT_START, /* \A, and ^ */
	GM_ASSERT_LINE_START, /* ^ with flag m */
	GM_ASSERT_LINE_END, /* $ with flag m */
	GM_ASSERT_LAST_LINE_END, /* \Z, and $ with GM_REGEX_DOLLAR_NEWLINE */
	GM_ASSERT_END, /* \z, and $ */
	GM_ASSERT_WORD, /* \b: in no finished tree */
	GM_ASSERT_NO_WORD, /* \B: the same */
};

struct gm_node {
	uint32_t kind;
	uint32_t value;
	uint32_t least, most;
	uint32_t first, last; /* children */
	uint32_t next, previous; /* siblings */
	uint32_t elements; /* byte sets and assertions, repeats copied */
	uint32_t positions; /* byte sets, repeats copied */
};

struct gm_forest {
	struct gm_node *nodes;
	uint32_t node_count, node_room;
	struct gm_byteset *sets; /* each once */
	uint32_t *set_chain; /* the next set with the same hash */
	uint32_t set_count, set_room, chain_room;
	uint32_t set_heads[256];
};

struct gm_regex_error {
	const char *reason; /* NULL without memory */
	uint32_t offset; /* of the byte at which the parser stopped */
};

void gm_forest_init(struct gm_forest *forest);
void gm_forest_free(struct gm_forest *forest);

/* The index of a set in the forest, UINT32_MAX without memory. */
uint32_t gm_forest_set(struct gm_forest *forest, const struct gm_byteset *set);

#endif
