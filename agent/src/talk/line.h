// SPDX-License-Identifier: Apache-2.0
/*
 * Writes one JSON line at a time to stdout. Members take a key, elements of a list take NULL.
 * An error of write() is kept in .error, and nothing more is written: the reader has gone.
 */
#ifndef GM_LINE_H
#define GM_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line {
	int fd;
	int error; /* 0 or -errno of the first write that failed */
	bool comma; /* something stands before the next member or element */
	size_t used;
	char buffer[4096];
};

void line_begin(struct line *line, const char *event); /* {"ev":"event" */
void line_end(struct line *line); /* } and the newline; flushes */

void line_text(struct line *line, const char *key, const char *value);
void line_integer(struct line *line, const char *key, int64_t value);
void line_count(struct line *line, const char *key, uint64_t value);
/* So many 64-bit fields of a row, each by its name. */
struct line_field {
	const char *name;
	size_t offset;
};
void line_counts(struct line *line, const void *row, const struct line_field *field, size_t count);
/* The words as bytes, the lowest first, in base64 (RFC 4648): a text. */
void line_words(struct line *line, const char *key, const uint64_t *words, size_t count);
/* The same of words that are computed one by one: `next` is called `count` times. */
void line_words_from(struct line *line, const char *key, uint64_t (*next)(void *from), void *from,
		     size_t count);
/* A list of one 64-bit field, at `offset`, of so many rows. */
void line_column(struct line *line, const char *key, const void *rows, size_t row_bytes,
		 size_t count, size_t offset);
void line_object(struct line *line, const char *key);
void line_list(struct line *line, const char *key);
void line_close(struct line *line, char bracket); /* ] or } */

#endif
