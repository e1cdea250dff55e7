/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around atoms: how groups open, what repeats say, what flag x leaves out. */
#include "pattern/parser.h"

#include <string.h>

enum { MOST_TIMES = 65535 };

void gm_parser_skip(struct gm_parser *parser)
{
	int comment = 0;

	if (!(parser->flags & GM_REGEX_EXTENDED))
		return;
	for (; parser->at < parser->length; parser->at++) {
		unsigned byte = parser->text[parser->at];

		if (byte == '#')
			comment = 1;
		else if (!comment && !(byte == ' ' || (byte >= '\t' && byte <= '\r')))
			return;
		else if (byte == '\n')
			comment = 0;
	}
}

static const char flag_letters[] = "ismxUJ";

static const char *flag_letter(unsigned byte)
{
	return byte && byte < 128 ? strchr(flag_letters, (int)byte) : NULL;
}

/* The flags after `(?`, up to `)` or `:`. */
static enum gm_group flags(struct gm_parser *parser)
{
	static const unsigned values[] = {
		GM_REGEX_CASELESS, GM_REGEX_DOT_ALL, GM_REGEX_MULTILINE, GM_REGEX_EXTENDED, 0, 0
	};
	unsigned wanted = parser->flags;
	int off = 0;

	for (;; parser->at++) {
		unsigned byte = gm_parser_peek(parser, 0);
		const char *letter = flag_letter(byte);

		if (byte == ':' || byte == ')') {
			parser->at++;
			parser->flags = wanted;
			return byte == ':' ? GM_GROUP_OPEN : GM_GROUP_NOTHING;
		}
		if (byte == '-' && !off)
			off = 1;
		else if (!letter)
			break;
		else if (off)
			wanted &= ~values[letter - flag_letters];
		else
			wanted |= values[letter - flag_letters];
	}
	gm_parser_reject(parser, "unknown group");
	return GM_GROUP_REJECTED;
}

static enum gm_group rejected(struct gm_parser *parser, const char *reason)
{
	gm_parser_reject(parser, reason);
	return GM_GROUP_REJECTED;
}

/* (?<name> and (?P<name> are groups like any other. */
static enum gm_group named(struct gm_parser *parser, uint32_t skipped)
{
	parser->at += skipped;
	while (gm_parser_peek(parser, 0) != '>') {
		if (parser->at >= parser->length)
			return rejected(parser, "a group's name is not closed");
		parser->at++;
	}
	parser->at++;
	return GM_GROUP_OPEN;
}

static enum gm_group comment(struct gm_parser *parser)
{
	while (gm_parser_peek(parser, 0) != ')') {
		if (parser->at >= parser->length)
			return rejected(parser, "a comment is not closed");
		parser->at++;
	}
	parser->at++;
	return GM_GROUP_NOTHING;
}

static enum gm_group angle(struct gm_parser *parser)
{
	unsigned third = gm_parser_peek(parser, 3);

	return third == '=' || third == '!' ? rejected(parser, "look-around") : named(parser, 3);
}

static enum gm_group python(struct gm_parser *parser)
{
	unsigned third = gm_parser_peek(parser, 3);

	if (third == '<')
		return named(parser, 4);
	return rejected(parser, third == '=' ? "back-reference" : "recursion");
}

enum gm_group gm_group_open(struct gm_parser *parser)
{
	unsigned second = gm_parser_peek(parser, 2);

	if (gm_parser_peek(parser, 1) == '*')
		return rejected(parser, "verb");
	if (gm_parser_peek(parser, 1) != '?') {
		parser->at++;
		return GM_GROUP_OPEN;
	}
	if (second == '=' || second == '!')
		return rejected(parser, "look-around");
	if (second == '>')
		return rejected(parser, "atomic group");
	if (second == '(')
		return rejected(parser, "conditional");
	if (second == 'R' || second == '&' || second == '+' || (second >= '0' && second <= '9'))
		return rejected(parser, "recursion");
	if (second == '<')
		return angle(parser);
	if (second == 'P')
		return python(parser);
	if (second == '#')
		return comment(parser);
	parser->at += 2;
	return flags(parser);
}

/* Digits at `at`; UINT32_MAX if there are none. */
static uint32_t number(const struct gm_parser *parser, uint32_t *at)
{
	uint32_t value = 0;
	uint32_t from = *at;

	for (; *at < parser->length && parser->text[*at] >= '0' && parser->text[*at] <= '9';
	     ++*at) {
		value = value * 10 + parser->text[*at] - '0';
		value = value > MOST_TIMES ? MOST_TIMES + 1 : value;
	}
	return *at == from ? UINT32_MAX : value;
}

/* {n}, {n,}, {n,m}. Anything else that begins with a brace is text, as in PCRE. */
static int braces(struct gm_parser *parser, uint32_t *least, uint32_t *most)
{
	uint32_t at = parser->at + 1;

	*least = number(parser, &at);
	*most = *least;
	if (*least == UINT32_MAX || at >= parser->length)
		return 0;
	if (parser->text[at] == ',') {
		at++;
		*most = number(parser, &at);
	}
	if (at >= parser->length || parser->text[at] != '}')
		return 0;
	if (*least > MOST_TIMES || (*most != UINT32_MAX && *most > MOST_TIMES)) {
		gm_parser_reject(parser, "too large: a repeat of more than 65535");
		return 0;
	}
	if (*least > *most) {
		gm_parser_reject(parser, "a repeat's bounds are reversed");
		return 0;
	}
	parser->at = at + 1;
	return 1;
}

int gm_repeat_read(struct gm_parser *parser, uint32_t *least, uint32_t *most)
{
	unsigned byte = gm_parser_peek(parser, 0);

	if (byte == '*' || byte == '+' || byte == '?') {
		*least = byte == '+';
		*most = byte == '?' ? 1 : GM_REGEX_UNBOUNDED;
		parser->at++;
	} else if (byte != '{' || !braces(parser, least, most)) {
		return 0;
	}
	byte = gm_parser_peek(parser, 0);
	if (byte == '+' || byte == '*') {
		gm_parser_reject(parser, byte == '+' ? "possessive repeat" : "nothing to repeat");
		return 0;
	}
	parser->at += byte == '?';
	return 1;
}
