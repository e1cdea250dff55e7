/* SPDX-License-Identifier: Apache-2.0 */
#include "table/line.h"

#include "table/read.h"
#include "table/word.h"

#include <stdio.h>

static const char BLOCK[] = "TIME: ";

/* `ip route` breaks the hops of a route into lines of their own (ip-route(8)), and so do routers. */
static int goes_on(const char *at, const char *end)
{
	static const char *const words[] = { "nexthop", "via",	    "*via", "**via",
					     "is",	"directly", NULL };
	static const char *const marks[] = { "*", "*>", NULL }; /* FRR: a hop that is in use */
	struct gm_text line = trimmed((struct gm_text){ at, end });
	struct gm_text word = word_of(&line);

	if (at == end || !is_blank(*at))
		return 0;
	if (is_one_of(word, marks))
		word = word_of(&line);
	return is_one_of(word, words) || (word.at < word.end && *word.at == '[');
}

/* A block of bgpdump without -m: up to an empty line. */
static int is_block(struct gm_text line)
{
	return (size_t)(line.end - line.at) > strlen(BLOCK) &&
	       memcmp(line.at, BLOCK, strlen(BLOCK)) == 0;
}

static int is_empty(const char *at, const char *end)
{
	return at == end || *at == '\n' || (*at == '\r' && at + 1 < end && at[1] == '\n');
}

struct gm_text gm_line_take(const char *text, const char *end, const char **next, uint32_t *lines)
{
	struct gm_text line = { text, text };

	*next = text;
	do {
		const char *newline = memchr(*next, '\n', (size_t)(end - *next));

		line.end = newline ? newline : end;
		*next = newline ? newline + 1 : end;
		++*lines;
	} while (goes_on(*next, end) || (is_block(line) && !is_empty(*next, end)));
	if (line.end > line.at && line.end[-1] == '\r')
		line.end--;
	return line;
}

/* ExaBGP: `neighbor A announce route PREFIX next-hop HOP ...`. Returns 0 where it is none. */
static int read_announced(struct gm_text text, struct gm_line *line)
{
	static const char *const begins[] = { "announce", "neighbor", "route", NULL };
	struct gm_text rest = text, word = word_of(&rest);

	if (!is_one_of(word, begins))
		return 0;
	while (!is_word(word, "route") && rest.at < rest.end)
		word = word_of(&rest);
	line->reason = gm_read_destination(word_of(&rest), line, 0);
	while (rest.at < rest.end && !is_word(word_of(&rest), "next-hop"))
		;
	line->next_hop = word_of(&rest);
	return 1;
}

static int is_number(struct gm_text word)
{
	const char *at = word.at;

	while (at < word.end && is_digit(*at))
		at++;
	return at == word.end && at > word.at;
}

/*
 * RIPE's riswhois dumps: origin, prefix, peers. The origin may be a set: `{1,2}`. A number before a
 * prefix with its hop is that of the line.
 */
static int read_origin(struct gm_text text, struct gm_line *line)
{
	struct gm_text rest = text, origin = word_of(&rest);
	const char *close = memchr(text.at, '}', (size_t)(text.end - text.at));

	if (close && *text.at == '{') {
		origin = (struct gm_text){ text.at, close + 1 };
		rest = trimmed((struct gm_text){ close + 1, text.end });
	} else if (!is_number(origin)) {
		return 0;
	}
	line->reason = gm_read_destination(word_of(&rest), line, 0);
	line->next_hop = rest.at == rest.end || is_number(rest) ? origin : rest;
	return 1;
}

/* Whether a mask leaves nothing of an address out; of `10.0.0.0 0.0.0.0 255.0.0.0` it is a hop. */
static int is_whole(const struct gm_line *line)
{
	struct gm_key mask = gm_key_mask(line->length);

	return !line->reason && !(line->key.hi & ~mask.hi);
}

/* A prefix of two words, `10.0.0.0` and `8` or `255.0.0.0`. Returns 0 where they are none. */
static int read_pair(struct gm_text address, struct gm_text length, struct gm_line *line)
{
	char prefix[64];
	size_t first = (size_t)(address.end - address.at),
	       second = (size_t)(length.end - length.at);
	int bytes;

	if (has_letter(address, '/') || !second || first + second + 2 > sizeof(prefix))
		return 0;
	bytes = snprintf(prefix, sizeof(prefix), "%.*s/%.*s", (int)first, address.at, (int)second,
			 length.at);
	line->reason = gm_read_destination((struct gm_text){ prefix, prefix + bytes }, line, 0);
	return 1;
}

/*
 * CAIDA's pfx2as: address, length, origin; of routers: address, mask, hop; what `route -n` prints:
 * address, hop, mask, and behind them the port.
 */
static int read_columns(struct gm_text text, struct gm_line *line)
{
	struct gm_text rest = text, address = word_of(&rest), second = word_of(&rest);

	if (!is_number(second) && !has_letter(second, '.'))
		return 0;
	if (read_pair(address, second, line) && (is_number(second) || is_whole(line))) {
		line->next_hop = word_of(&rest);
		return 1;
	}
	if (is_number(second) || !read_pair(address, word_of(&rest), line) || line->reason)
		return 0;
	line->next_hop = is_word(second, "0.0.0.0") ? rest : second;
	return 1;
}

/*
 * What `show route all` has below a route: `\tBGP.origin: IGP`, `\t\t(65101,11000) ...` of a list
 * that is long, `\tInternal route handling values: ...`, and the further routes of the prefix.
 */
static int is_below_route(struct gm_text text)
{
	struct gm_text rest = trimmed(text), word = word_of(&rest);
	size_t length = (size_t)(word.end - word.at);

	if (!length || !is_blank(*text.at))
		return 0;
	if (is_word(word, "unicast"))
		return rest.at < rest.end && *rest.at == '[';
	if (is_word(word, "Internal") || (length > 1 && *word.at == '(' && is_digit(word.at[1])))
		return 1;
	return length > 1 && word.end[-1] == ':' && word.end[-2] != ':';
}

/* BIRD's first lines, and those below a route. */
static int is_of_bird(struct gm_text text)
{
	static const char *const heads[] = { "BIRD", "Table", NULL };
	struct gm_text rest = trimmed(text);

	return is_one_of(word_of(&rest), heads) || is_below_route(text);
}

/* Of Spamhaus: `; SBL256894` behind a prefix, where another table has its hop. */
static int is_remark(struct gm_text text)
{
	struct gm_text word = word_of(&text);
	struct gm_key key;
	unsigned family;
	uint32_t length;

	return gm_address_alone(word, &family, &key, &length) != NULL;
}

/* What follows a blank and a # is about the route, and no part of its hop. */
static struct gm_text without_comment(struct gm_text text)
{
	for (const char *at = text.at; at + 2 < text.end && !has_letter(text, '\n'); at++) {
		struct gm_text rest = trimmed((struct gm_text){ at + 2, text.end });

		if (is_blank(*at) &&
		    (at[1] == '#' || (at[1] == ';' && is_blank(at[2]) && is_remark(rest))))
			text.end = at;
	}
	return trimmed(text);
}

/* Words with blanks between them; a reader that knows no such line leaves nothing behind. */
static void read_words(struct gm_text text, uint32_t subnet, struct gm_line *line)
{
	const struct gm_line empty = *line;

	text = gm_without_command(text);
	if (gm_read_shown(text, subnet, line))
		return;
	if (read_announced(text, line) || read_origin(text, line) || read_columns(text, line)) {
		line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
		return;
	}
	*line = empty;
	gm_read_route(text, line);
}

/* A line of lines that say something of the table, or a comment of a person or a router. */
static int is_about(struct gm_text text)
{
	struct gm_text line = trimmed(text);

	return line.at == line.end || strchr("#%!", *line.at) ||
	       (text.end - text.at > 1 && *text.at == ';' && is_blank(text.at[1]));
}

void gm_line_read(struct gm_text text, struct gm_context *context, struct gm_line *line)
{
	int is_head;

	memset(line, 0, sizeof(*line));
	is_head = is_about(text) || is_of_bird(text) || gm_read_head(text, context, line);
	text = trimmed(text);
	line->next_hop.at = line->next_hop.end = text.at;
	if (is_head)
		return;
	if (is_block(text))
		gm_read_block(text, line);
	else if (has_letter(text, '|'))
		gm_read_bars(text, line);
	else
		read_words(without_comment(text), context->subnet, line);
	context->routes |= line->kind == GM_LINE_ROUTE;
}
