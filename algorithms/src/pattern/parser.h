/* SPDX-License-Identifier: Apache-2.0 */
/* The parser's place in the text, and the small parts of the grammar that stand in own files. */
#ifndef GM_PATTERN_PARSER_H
#define GM_PATTERN_PARSER_H

#include <stdint.h>

#include "pattern/forest.h"

struct gm_parser {
	struct gm_forest *forest;
	const uint8_t *text;
	uint32_t length;
	uint32_t at;
	unsigned flags; /* those in force here */
	int failed;
	int has_boundary; /* a \b, which is not resolved yet */
	struct gm_regex_error *error;
};

enum { GM_PARSER_END = 256 };

/* The byte `ahead` of the parser, GM_PARSER_END after the last. */
static inline unsigned gm_parser_peek(const struct gm_parser *parser, uint32_t ahead)
{
	return ahead < parser->length - parser->at ? parser->text[parser->at + ahead]
						   : GM_PARSER_END;
}

/* Keeps the first reason and its offset; returns 0, which is no node. NULL: no memory. */
uint32_t gm_parser_reject(struct gm_parser *parser, const char *reason);

/* A node of the forest, which is no one's child yet; 0 without memory. */
uint32_t gm_parser_node(struct gm_parser *parser, uint32_t kind, uint32_t value);

/* Adds a child to a join or an alternation, and counts what it has. Returns the parent, or 0. */
uint32_t gm_parser_adopt(struct gm_parser *parser, uint32_t parent, uint32_t child);

/* With flag x, skips white space and comments. */
void gm_parser_skip(struct gm_parser *parser);

enum gm_group { GM_GROUP_REJECTED, GM_GROUP_NOTHING, GM_GROUP_OPEN };

/* Reads what opens a group and its flags; NOTHING for (?i) and comments, which have no inside. */
enum gm_group gm_group_open(struct gm_parser *parser);

/* Reads * + ? {n} {n,} {n,m} with a lazy mark; 0 if there is none (or the parser failed). */
int gm_repeat_read(struct gm_parser *parser, uint32_t *least, uint32_t *most);

#endif
