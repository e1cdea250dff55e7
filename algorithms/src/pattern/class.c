/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/class.h"

#include <string.h>

/* Ranges of bytes, two letters each; of `others` those that are in none of them. */
static const struct {
	const char *name;
	const char *ranges;
	int others;
} names[] = {
	{ "alnum", "09AZaz", 0 },   { "alpha", "AZaz", 0 },	  { "ascii", "\x80\xff", 1 },
	{ "blank", "  \t\t", 0 },   { "cntrl", " ~\x80\xff", 1 }, { "digit", "09", 0 },
	{ "graph", "!~", 0 },	    { "lower", "az", 0 },	  { "print", " ~", 0 },
	{ "punct", "!/:@[`{~", 0 }, { "space", "\t\r  ", 0 },	  { "upper", "AZ", 0 },
	{ "word", "09AZ__az", 0 },  { "xdigit", "09AFaf", 0 },
};

static void add_range(struct gm_byteset *set, unsigned from, unsigned to)
{
	for (unsigned byte = from; byte <= to; byte++)
		gm_byteset_add(set, byte);
}

static void add_ranges(struct gm_byteset *set, const char *ranges, int negated)
{
	struct gm_byteset added = { { 0 } };

	for (; *ranges; ranges += 2)
		add_range(&added, (uint8_t)ranges[0], (uint8_t)ranges[1]);
	for (int i = 0; i < 8; i++)
		set->words[i] |= negated ? ~added.words[i] : added.words[i];
}

void gm_class_fold(struct gm_byteset *set)
{
	for (unsigned upper = 'A'; upper <= 'Z'; upper++) {
		unsigned lower = upper + 'a' - 'A';

		if (gm_byteset_has(set, upper))
			gm_byteset_add(set, lower);
		else if (gm_byteset_has(set, lower))
			gm_byteset_add(set, upper);
	}
}

static int hex_value(unsigned byte)
{
	if (byte >= '0' && byte <= '9')
		return (int)byte - '0';
	if (byte >= 'a' && byte <= 'f')
		return (int)byte - 'a' + 10;
	return byte >= 'A' && byte <= 'F' ? (int)byte - 'A' + 10 : -1;
}

/* After \x: one or two digits, or any number in braces up to FF. */
static int hex(struct gm_parser *parser, struct gm_byteset *set)
{
	int braces = gm_parser_peek(parser, 0) == '{';
	unsigned value = 0;
	unsigned digits = 0;

	parser->at += (uint32_t)braces;
	while (hex_value(gm_parser_peek(parser, 0)) >= 0 && (braces || digits < 2)) {
		value = value * 16 + (unsigned)hex_value(gm_parser_peek(parser, 0));
		if (value > 255)
			return (int)gm_parser_reject(parser, "a character above FF");
		digits++;
		parser->at++;
	}
	if (braces && gm_parser_peek(parser, 0) != '}')
		return (int)gm_parser_reject(parser, "\\x{ is not closed");
	if (!digits)
		return (int)gm_parser_reject(parser, "\\x without digits");
	parser->at += (uint32_t)braces;
	gm_byteset_add(set, value);
	return 1;
}

/* \0, \0NN, \NNN are octal; \1 to \99 would be a group's text again. */
static int octal(struct gm_parser *parser, struct gm_byteset *set)
{
	unsigned value = 0;
	unsigned digits = 0;

	while (digits < 3 && gm_parser_peek(parser, digits) >= '0' &&
	       gm_parser_peek(parser, digits) <= '7')
		value = value * 8 + gm_parser_peek(parser, digits++) - '0';
	if (gm_parser_peek(parser, 0) != '0' && digits < 3)
		return (int)gm_parser_reject(parser, "back-reference");
	if (value > 255)
		return (int)gm_parser_reject(parser, "a character above octal 377");
	parser->at += digits;
	gm_byteset_add(set, value);
	return 1;
}

static int letter_escape(struct gm_parser *parser, struct gm_byteset *set, unsigned letter)
{
	static const char letters[] = "nrtfae";
	static const char bytes[] = "\n\r\t\f\a\033";
	static const char classes[] = "dDwWsShHvV"; /* PCRE's: a \v is no vertical tab alone */
	static const char *const ranges[] = { "09", "09AZ__az", "\t\r  ", "\t\t  \xa0\xa0",
					      "\n\r\x85\x85" };
	const char *at = strchr(letters, (int)letter);

	if (at) {
		gm_byteset_add(set, (uint8_t)bytes[at - letters]);
		return 1;
	}
	at = strchr(classes, (int)letter);
	if (at) {
		add_ranges(set, ranges[(at - classes) / 2], (int)((at - classes) % 2));
		return 2;
	}
	parser->at--;
	if (strchr("kg", (int)letter))
		return (int)gm_parser_reject(parser, "back-reference");
	return (int)gm_parser_reject(parser, "unknown escape");
}

static int control(struct gm_parser *parser, struct gm_byteset *set)
{
	unsigned byte = gm_parser_peek(parser, 0);

	if (byte < 0x20 || byte > 0x7e)
		return (int)gm_parser_reject(parser, "\\c without a letter");
	parser->at++;
	gm_byteset_add(set, (byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte) ^ 0x40);
	return 1;
}

int gm_class_escape(struct gm_parser *parser, struct gm_byteset *set)
{
	unsigned byte = gm_parser_peek(parser, 1);

	if (byte == GM_PARSER_END)
		return (int)gm_parser_reject(parser, "a backslash at the end");
	if (byte >= '0' && byte <= '9') {
		parser->at++;
		return octal(parser, set);
	}
	parser->at += 2;
	if (byte == 'x')
		return hex(parser, set);
	if (byte == 'c')
		return control(parser, set);
	if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'))
		return letter_escape(parser, set, byte);
	gm_byteset_add(set, byte);
	return 1;
}

/* [:name:] or [:^name:] inside brackets: 1 if read, 0 if it is no such thing or rejected. */
static int posix(struct gm_parser *parser, struct gm_byteset *set)
{
	const uint8_t *text = parser->text + parser->at;
	uint32_t left = parser->length - parser->at;
	uint32_t end = 2;
	uint32_t start;

	if (left < 4 || text[1] != ':')
		return 0;
	start = 2 + (text[2] == '^');
	for (end = start; end < left && text[end] >= 'a' && text[end] <= 'z';)
		end++;
	if (left - end < 2 || text[end] != ':' || text[end + 1] != ']')
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i].name) == end - start &&
		    memcmp(names[i].name, text + start, end - start) == 0) {
			add_ranges(set, names[i].ranges, (start == 3) != names[i].others);
			parser->at += end + 2;
			return 1;
		}
	}
	return (int)gm_parser_reject(parser, "unknown class name");
}

/* One byte or a class at the parser: 0 rejected, 1 a byte (in *byte), 2 a class (added to *set). */
static int member(struct gm_parser *parser, struct gm_byteset *set, unsigned *byte)
{
	struct gm_byteset escaped = { { 0 } };
	int kind;

	*byte = gm_parser_peek(parser, 0);
	if (*byte == '[') {
		if (posix(parser, set))
			return 2;
		if (parser->failed)
			return 0;
	}
	if (*byte != '\\') {
		parser->at++;
		return 1;
	}
	if (gm_parser_peek(parser, 1) == 'b') {
		parser->at += 2;
		*byte = '\b';
		return 1;
	}
	kind = gm_class_escape(parser, &escaped);
	for (int i = 0; kind == 2 && i < 8; i++)
		set->words[i] |= escaped.words[i];
	for (*byte = 0; kind == 1 && *byte < 255 && !gm_byteset_has(&escaped, *byte);)
		++*byte;
	return kind;
}

/* A byte and, after a hyphen, the end of its range. */
static int range(struct gm_parser *parser, struct gm_byteset *set)
{
	unsigned from;
	unsigned to;
	int kind = member(parser, set, &from);

	if (kind != 1)
		return kind;
	to = from;
	if (gm_parser_peek(parser, 0) == '-' && gm_parser_peek(parser, 1) != ']' &&
	    gm_parser_peek(parser, 1) != GM_PARSER_END) {
		uint32_t hyphen = parser->at++;

		kind = member(parser, set, &to);
		if (!kind)
			return 0;
		if (kind == 2) { /* [a-\d]: the hyphen is a hyphen */
			gm_byteset_add(set, '-');
			to = from;
		}
		if (from > to) {
			parser->at = hyphen;
			return (int)gm_parser_reject(parser, "a range is reversed");
		}
	}
	add_range(set, from, to);
	return 1;
}

int gm_class_bracket(struct gm_parser *parser, struct gm_byteset *set)
{
	uint32_t opened = parser->at++;
	int negated = gm_parser_peek(parser, 0) == '^';
	uint32_t start;

	memset(set, 0, sizeof(*set));
	parser->at += (uint32_t)negated;
	start = parser->at;
	while (gm_parser_peek(parser, 0) != ']' || parser->at == start) {
		if (parser->at >= parser->length) {
			parser->at = opened;
			return (int)gm_parser_reject(parser, "a class is not closed");
		}
		if (!range(parser, set))
			return 0;
	}
	parser->at++;
	if (parser->flags & GM_REGEX_CASELESS)
		gm_class_fold(set);
	for (int i = 0; negated && i < 8; i++)
		set->words[i] = ~set->words[i];
	return 1;
}
