/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a line of a table, and fields of one with bars. */
#ifndef GM_TABLE_WORD_H
#define GM_TABLE_WORD_H

#include "lpm/address.h"

#include <string.h>

static inline int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/*
 * What stands between a prefix and its next hop; a table of a spreadsheet has quotes, too, and a
 * route may go on in the next line.
 */
static inline int is_gap(char c)
{
	return is_blank(c) || c == ',' || c == ';' || c == '"' || c == '\n';
}

static inline struct gm_text trimmed(struct gm_text text)
{
	while (text.at < text.end && is_gap(*text.at))
		text.at++;
	while (text.end > text.at && (is_gap(text.end[-1]) || text.end[-1] == '\r'))
		text.end--;
	return text;
}

static inline int is_same(struct gm_text text, struct gm_text other)
{
	size_t length = (size_t)(text.end - text.at);

	return length == (size_t)(other.end - other.at) &&
	       (!length || memcmp(text.at, other.at, length) == 0);
}

static inline int is_word(struct gm_text text, const char *word)
{
	return is_same(text, (struct gm_text){ word, word + strlen(word) });
}

static inline int is_one_of(struct gm_text word, const char *const *words)
{
	for (; *words; words++) {
		if (is_word(word, *words))
			return 1;
	}
	return 0;
}

/* Takes the first word off. */
static inline struct gm_text word_of(struct gm_text *text)
{
	struct gm_text word = { text->at, text->at };

	while (word.end < text->end && !is_gap(*word.end))
		word.end++;
	text->at = word.end;
	*text = trimmed(*text);
	return word;
}

/* A field of a line with bars, from 0; empty where there is none. */
static inline struct gm_text field_of(struct gm_text text, int number)
{
	struct gm_text field = { text.at, text.at };

	for (; field.at < text.end && number; field.at++)
		number -= *field.at == '|';
	field.end = field.at;
	while (field.end < text.end && *field.end != '|')
		field.end++;
	return field;
}

static inline int has_letter(struct gm_text text, char letter)
{
	return memchr(text.at, letter, (size_t)(text.end - text.at)) != NULL;
}

#endif
