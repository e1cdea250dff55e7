/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/rule.h"

#include <string.h>

#define RULE_MOST (1u << 20) /* bytes of a rule in several lines */

static const char *const actions[] = { "alert",	   "drop",	"pass",	     "reject",
				       "log",	   "block",	"rewrite",   "sdrop",
				       "react",	   "rejectsrc", "rejectdst", "rejectboth",
				       "activate", "dynamic",	"file_id",   "accept",
				       "config",   NULL };

static const char *const descriptions[] = { "msg",	 "sid",	      "rev",	  "gid",
					    "classtype", "reference", "metadata", "priority",
					    "rem",	 "target",    NULL };

static int is_blank(uint8_t byte)
{
	return byte == ' ' || byte == '\t';
}

struct gm_piece gm_piece_trimmed(struct gm_piece piece)
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

static int has(struct gm_piece line, const char *word)
{
	size_t length = strlen(word);

	for (uint32_t at = 0; at + length <= line.length; at++) {
		if (memcmp(line.text + at, word, length) == 0)
			return 1;
	}
	return 0;
}

/* The first word is an action; of Suricata's `accept:hook` the part before the colon is. */
static int has_action(struct gm_piece line)
{
	struct gm_piece word = { line.text, 0 };

	while (word.length < line.length && !is_blank(line.text[word.length]) &&
	       line.text[word.length] != ':')
		word.length++;
	return is_one_of(word, actions);
}

static struct gm_piece from_letter(struct gm_piece line, uint8_t letter)
{
	const uint8_t *at = line.length ? memchr(line.text, letter, line.length) : NULL;

	if (!at)
		return (struct gm_piece){ line.text + line.length, 0 };
	return (struct gm_piece){ at, line.length - (uint32_t)(at - line.text) };
}

/*
 * A line that begins a rule: an action and, so that an expression like `drop (table|view)` is none,
 * a direction, options, or a parenthesis whose options are in further lines.
 */
static int begins(struct gm_piece line)
{
	struct gm_piece options = from_letter(line, '(');

	if (!has_action(line))
		return 0;
	if (has(line, " -> ") || has(line, " <> ") || has(options, ";"))
		return 1;
	return options.length == 1 || (options.length && options.text[options.length - 1] == '\\');
}

/* The line up to its last parenthesis, if nothing but a comment is behind it; else nothing. */
static struct gm_piece closed(struct gm_piece line)
{
	uint32_t end = line.length;
	struct gm_piece behind;

	while (end && line.text[end - 1] != ')')
		end--;
	behind = gm_piece_trimmed((struct gm_piece){ line.text + end, line.length - end });
	if (behind.length && behind.text[0] != '#')
		end = 0;
	return (struct gm_piece){ line.text, end };
}

static size_t line_bytes(const uint8_t *text, size_t size)
{
	const uint8_t *end = memchr(text, '\n', size);

	return end ? (size_t)(end - text) : size;
}

/* In the midst of a rule: a comment, or nothing. */
static int is_between(struct gm_piece line)
{
	return !line.length || line.text[0] == '#';
}

/* Whether the next line goes on with a rule: what ends in the midst of it, or has no options yet. */
static int is_open(struct gm_piece line, struct gm_piece next, int has_options)
{
	uint8_t last = line.length ? line.text[line.length - 1] : 0;

	if (last == '(' || last == ';' || last == ',' || last == '\\')
		return 1;
	return !has_options && next.length && next.text[0] == '(';
}

/* The line without a return at its end, and without blanks; an empty one of more than RULE_MOST. */
static struct gm_piece line_of(const uint8_t *text, size_t length)
{
	length -= length && text[length - 1] == '\r';
	return gm_piece_trimmed(
		(struct gm_piece){ text, length > RULE_MOST ? 0 : (uint32_t)length });
}

size_t gm_rule_bytes(const uint8_t *text, size_t size, uint32_t *lines)
{
	const size_t first = line_bytes(text, size);
	struct gm_piece line = line_of(text, first);
	size_t at = first;
	int has_options = from_letter(line, '(').length > 0;

	*lines = 1;
	while (has_action(line_of(text, first)) && at < size && at < RULE_MOST) {
		size_t length = line_bytes(text + at + 1, size - at - 1);
		struct gm_piece next = line_of(text + at + 1, length);

		if (begins(next) || !is_open(line, next, has_options))
			break;
		line = is_between(next) ? line : next;
		at += 1 + length;
		has_options |= from_letter(line, '(').length > 0;
		++*lines;
	}
	if (closed(line).length)
		return at;
	*lines = 1;
	return first;
}

void gm_rule_join(uint8_t *text, size_t length)
{
	for (size_t at = 0; at < length; at++) {
		size_t before = at, next = line_bytes(text + at + 1, length - at - 1);

		if (text[at] != '\n')
			continue;
		if (is_between(line_of(text + at + 1, next)))
			memset(text + at + 1, ' ', next);
		text[at] = ' ';
		before -= before && text[before - 1] == '\r';
		before -= before && text[before - 1] == '\\';
		memset(text + before, ' ', at - before);
	}
}

int gm_rule_is(const uint8_t *text, uint32_t length, struct gm_piece *options)
{
	struct gm_piece line = gm_piece_trimmed((struct gm_piece){ text, length });

	if (!begins(line))
		return 0;
	*options = from_letter(closed(line), '(');
	if (!options->length)
		options->text = NULL;
	else
		*options = (struct gm_piece){ options->text + 1, options->length - 2 };
	return 1;
}

/* The bytes up to a byte that stands in no quotes; the whole piece where there is none; -1: open. */
static int64_t length_in_quotes(struct gm_piece piece, uint8_t byte)
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

/*
 * The same, as Snort 2 and Suricata have it where quotes do not pair: up to the byte without a
 * backslash, or behind a quote that was closed by one: `content:"\a\";`.
 */
static uint32_t length_to(struct gm_piece piece, uint8_t byte)
{
	int64_t length = length_in_quotes(piece, byte);
	uint32_t at = 0;

	if (length >= 0)
		return (uint32_t)length;
	while (at < piece.length && (piece.text[at] != byte || (at && piece.text[at - 1] == '\\')))
		at++;
	return at;
}

static struct gm_piece from(struct gm_piece piece, uint32_t at)
{
	at = at < piece.length ? at : piece.length;
	return gm_piece_trimmed((struct gm_piece){ piece.text + at, piece.length - at });
}

/* Takes the quotes off a value; what is behind them are its modifiers. Returns 0 of an open one. */
static int unquote(struct gm_rule_option *option)
{
	struct gm_piece value = option->value;
	uint32_t end = value.length;

	if (value.length && value.text[0] == '!') {
		option->is_negated = 1;
		value = from(value, 1);
		end = value.length;
	}
	if (!value.length || value.text[0] != '"')
		return 1;
	option->is_quoted = 1;
	while (end > 1 && value.text[end - 1] != '"')
		end--;
	if (end == 1)
		return 0;
	option->modifiers = from(value, end);
	option->value = (struct gm_piece){ value.text + 1, end - 2 };
	return 1;
}

int gm_rule_next(struct gm_piece *options, struct gm_rule_option *option)
{
	struct gm_piece whole;
	uint32_t length;
	uint32_t colon;

	memset(option, 0, sizeof(*option));
	*options = gm_piece_trimmed(*options);
	if (!options->length)
		return 0;
	length = length_to(*options, ';');
	whole = gm_piece_trimmed((struct gm_piece){ options->text, length });
	*options = from(*options, length + 1);
	colon = length_to(whole, ':');
	option->name = gm_piece_trimmed((struct gm_piece){ whole.text, colon });
	option->value = from(whole, colon + 1);
	return unquote(option) ? 1 : -1;
}
