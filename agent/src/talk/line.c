// SPDX-License-Identifier: Apache-2.0
/* One JSON line, written through a fixed buffer. */
#include "talk/line.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void flush(struct line *line)
{
	size_t done = 0;

	while (!line->error && done < line->used) {
		ssize_t count = write(line->fd, line->buffer + done, line->used - done);

		if (count >= 0)
			done += (size_t)count;
		else if (errno != EINTR)
			line->error = -errno;
	}
	line->used = 0;
}

static void put(struct line *line, char c)
{
	if (line->used == sizeof(line->buffer))
		flush(line);
	line->buffer[line->used++] = c;
}

static void put_plain(struct line *line, const char *text)
{
	while (*text)
		put(line, *text++);
}

static void put_quoted(struct line *line, const char *text)
{
	static const char hex[] = "0123456789abcdef";

	put(line, '"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			put(line, '\\');
		} else if (c < 0x20) {
			put_plain(line, "\\u00");
			put(line, hex[c >> 4]);
			put(line, hex[c & 15]);
			continue;
		}
		put(line, (char)c);
	}
	put(line, '"');
}

static void begin_value(struct line *line, const char *key)
{
	if (line->comma)
		put(line, ',');
	line->comma = true;
	if (!key)
		return;
	put_quoted(line, key);
	put(line, ':');
}

void line_begin(struct line *line, const char *event)
{
	put(line, '{');
	line->comma = false;
	line_text(line, "ev", event);
}

void line_end(struct line *line)
{
	put_plain(line, "}\n");
	flush(line);
}

void line_text(struct line *line, const char *key, const char *value)
{
	begin_value(line, key);
	put_quoted(line, value);
}

void line_count(struct line *line, const char *key, uint64_t value)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	begin_value(line, key);
	put_plain(line, digits + at);
}

void line_integer(struct line *line, const char *key, int64_t value)
{
	if (value >= 0) {
		line_count(line, key, (uint64_t)value);
		return;
	}
	begin_value(line, key);
	put(line, '-');
	line->comma = false;
	line_count(line, NULL, ~(uint64_t)value + 1);
}

void line_counts(struct line *line, const void *row, const struct line_field *field, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)row + field[i].offset, sizeof(value));
		line_count(line, field[i].name, value);
	}
}

static void put_base64(struct line *line, uint32_t three, int bytes)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (int at = 0; at < 4; at++)
		put(line, at <= bytes ? digit[three >> (18 - 6 * at) & 63] : '=');
}

void line_words_from(struct line *line, const char *key, uint64_t (*next)(void *from), void *from,
		     size_t count)
{
	uint32_t three = 0;
	int bytes = 0;

	begin_value(line, key);
	put(line, '"');
	for (size_t i = 0; i < count; i++) {
		uint64_t word = next(from);

		for (int shift = 0; shift < 64; shift += 8) {
			three |= (uint32_t)(word >> shift & 0xff) << (16 - 8 * bytes);
			if (++bytes < 3)
				continue;
			put_base64(line, three, bytes);
			three = 0;
			bytes = 0;
		}
	}
	if (bytes)
		put_base64(line, three, bytes);
	put(line, '"');
}

struct memory {
	const uint64_t *word;
};

static uint64_t next_in_memory(void *from)
{
	struct memory *memory = from;

	return *memory->word++;
}

void line_words(struct line *line, const char *key, const uint64_t *words, size_t count)
{
	struct memory memory = { words };

	line_words_from(line, key, next_in_memory, &memory, count);
}

static void open_bracket(struct line *line, const char *key, char bracket)
{
	begin_value(line, key);
	put(line, bracket);
	line->comma = false;
}

void line_object(struct line *line, const char *key)
{
	open_bracket(line, key, '{');
}

void line_list(struct line *line, const char *key)
{
	open_bracket(line, key, '[');
}

void line_close(struct line *line, char bracket)
{
	put(line, bracket);
	line->comma = true;
}

void line_column(struct line *line, const char *key, const void *rows, size_t row_bytes,
		 size_t count, size_t offset)
{
	line_list(line, key);
	for (size_t i = 0; i < count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)rows + i * row_bytes + offset, sizeof(value));
		line_count(line, NULL, value);
	}
	line_close(line, ']');
}
