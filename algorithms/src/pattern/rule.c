/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/rule.h"

#include <string.h>

#define RULE_MOST (1u << 20) /* bytes of a rule in several lines */

static const char *const actions[] = { "alert",	   "drop",	"pass",	     "reject",
				       "log",	   "block",	"rewrite",   "sdrop",
				       "react",	   "rejectsrc", "rejectdst", "rejectboth",
				       "activate", "dynamic",	"file_id",   NULL };

static const char *const descriptions[] = { "msg",	 "sid",	      "rev",	  "gid",
					    "classtype", "reference", "metadata", "priority",
					    "rem",	 "target",    NULL };

static int is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t';
}

static struct gm_piece trimmed(struct gm_piece piece)
{
	while (piece.length && is_blank(piece.text[0])) {
		piece.text++;
		piece.length--;
	}
	while (piece.length && is_blank(piece.text[piece.length - 1]))
		piece.length--;
	return piece;
}

int gm_piece_is(struct gm_piece piece, const char *word)
{
	return piece.length == strlen(word) && memcmp(piece.text, word, piece.length) == 0;
}

static int is_one_of(struct gm_piece piece, const char *const *words)
{
	for (; *words; words++) {
		if (gm_piece_is(piece, *words))
			return 1;
	}
	return 0;
}

int gm_rule_describes(struct gm_piece name)
{
	return is_one_of(name, descriptions);
}

/* A line that begins a rule: an action, and a parenthesis that is open. */
static int begins(struct gm_piece line)
{
	struct gm_piece word = { line.text, 0 };

	while (word.length < line.length && !is_blank(line.text[word.length]))
		word.length++;
	return is_one_of(word, actions) && memchr(line.text, '(', line.length);
}

static size_t line_bytes(const uint8_t *text, size_t size)
{
	const uint8_t *end = memchr(text, '\n', size);

	return end ? (size_t)(end - text) : size;
}

/* Whether the next line goes on with a rule: behind its parenthesis, an option or a backslash. */
static int is_open(struct gm_piece line)
{
	uint8_t last = line.length ? line.text[line.length - 1] : 0;

	return last == '(' || last == ';' || last == '\\';
}

/* The line without a return at its end, and without blanks; an empty one of more than RULE_MOST. */
static struct gm_piece line_of(const uint8_t *text, size_t length)
{
	length -= length && text[length - 1] == '\r';
	return trimmed((struct gm_piece){ text, length > RULE_MOST ? 0 : (uint32_t)length });
}

size_t gm_rule_bytes(const uint8_t *text, size_t size, uint32_t *lines)
{
	const size_t first = line_bytes(text, size);
	struct gm_piece line = line_of(text, first);
	size_t at = first;

	*lines = 1;
	if (!begins(line))
		return first;
	while (is_open(line) && at < size && at < RULE_MOST) {
		size_t length = line_bytes(text + at + 1, size - at - 1);

		line = line_of(text + at + 1, length);
		at += 1 + length;
		++*lines;
		if (begins(line))
			line.length = 0; /* a rule of its own */
	}
	if (line.length && line.text[line.length - 1] == ')')
		return at;
	*lines = 1;
	return first;
}

void gm_rule_join(uint8_t *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		size_t before = at;

		if (text[at] != '\n')
			continue;
		text[at] = ' ';
		before -= before && text[before - 1] == '\r';
		before -= before && text[before - 1] == '\\';
		memset(text + before, ' ', at - before);
	}
}

int gm_rule_is(const uint8_t *text, uint32_t length, struct gm_piece *options)
{
	struct gm_piece line = trimmed((struct gm_piece){ text, length });
	const uint8_t *open;

	if (!begins(line) || line.text[line.length - 1] != ')')
		return 0;
	open = memchr(line.text, '(', line.length);
	if (!open)
		return 0;
	options->text = open + 1;
	options->length = line.length - (uint32_t)(open - line.text) - 2;
	return 1;
}

/* The bytes up to a byte that stands in no quotes; the whole piece where there is none; -1: open. */
static int64_t length_to(struct gm_piece piece, uint8_t byte)
{
	int quoted = 0;

	for (uint32_t at = 0; at < piece.length; at++) {
		if (piece.text[at] == '\\' && at + 1 < piece.length)
			at++;
		else if (piece.text[at] == '"')
			quoted = !quoted;
		else if (piece.text[at] == byte && !quoted)
			return at;
	}
	return quoted ? -1 : (int64_t)piece.length;
}

static struct gm_piece from(struct gm_piece piece, uint32_t at)
{
	at = at < piece.length ? at : piece.length;
	return trimmed((struct gm_piece){ piece.text + at, piece.length - at });
}

/* Takes the quotes off a value; what is behind them are its modifiers. */
static void unquote(struct gm_rule_option *option)
{
	struct gm_piece value = option->value;
	uint32_t end = value.length;

	if (value.length && value.text[0] == '!') {
		option->is_negated = 1;
		value = from(value, 1);
		end = value.length;
	}
	if (!value.length || value.text[0] != '"')
		return;
	while (end > 1 && value.text[end - 1] != '"')
		end--;
	option->modifiers = from(value, end);
	option->value = (struct gm_piece){ value.text + 1, end > 1 ? end - 2 : 0 };
}

int gm_rule_next(struct gm_piece *options, struct gm_rule_option *option)
{
	struct gm_piece whole;
	int64_t length;
	int64_t colon;

	memset(option, 0, sizeof(*option));
	*options = trimmed(*options);
	if (!options->length)
		return 0;
	length = length_to(*options, ';');
	if (length < 0)
		return -1;
	whole = trimmed((struct gm_piece){ options->text, (uint32_t)length });
	*options = from(*options, (uint32_t)length + 1);
	colon = length_to(whole, ':');
	option->name = trimmed((struct gm_piece){ whole.text, (uint32_t)colon });
	option->value = from(whole, (uint32_t)colon + 1);
	unquote(option);
	return 1;
}
