/* SPDX-License-Identifier: Apache-2.0 */
#include "lpm/line.h"

#include <stdio.h>
#include <string.h>

static int is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* What stands between a prefix and its next hop. */
static int is_gap(char c)
{
	return is_blank(c) || c == ',' || c == ';';
}

static struct gm_text trimmed(struct gm_text text)
{
	while (text.at < text.end && is_gap(*text.at))
		text.at++;
	while (text.end > text.at && (is_blank(text.end[-1]) || text.end[-1] == '\r'))
		text.end--;
	return text;
}

static int is_word(struct gm_text text, const char *word)
{
	size_t length = strlen(word);

	return (size_t)(text.end - text.at) == length && memcmp(text.at, word, length) == 0;
}

/* Takes the first word off. */
static struct gm_text word_of(struct gm_text *text)
{
	struct gm_text word = { text->at, text->at };

	while (word.end < text->end && !is_gap(*word.end))
		word.end++;
	text->at = word.end;
	*text = trimmed(*text);
	return word;
}

static int is_one_of(struct gm_text word, const char *const *words)
{
	for (; *words; words++) {
		if (is_word(word, *words))
			return 1;
	}
	return 0;
}

/* `ip route` breaks the hops of a route into lines of their own (ip-route(8)), and so does BIRD. */
static int goes_on(const char *at, const char *end)
{
	static const char *const words[] = { "nexthop", "via", NULL };
	struct gm_text line = trimmed((struct gm_text){ at, end });

	return at < end && is_blank(*at) && is_one_of(word_of(&line), words);
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
	} while (goes_on(*next, end));
	if (line.end > line.at && line.end[-1] == '\r')
		line.end--;
	return line;
}

/* A prefix, or as `ip route` has it: an address alone, or `default`. */
static const char *read_destination(struct gm_text word, struct gm_line *line, int is_ip_route)
{
	const char *reason;

	if (is_word(word, "default")) {
		line->length = 0;
		line->key = gm_key4(0);
		return NULL;
	}
	reason = gm_address_parse(word, &line->family, &line->key, &line->length);
	if (reason && is_ip_route && !memchr(word.at, '/', (size_t)(word.end - word.at)))
		return gm_address_alone(word, &line->family, &line->key, &line->length);
	return reason;
}

/*
 * Of what `ip route` or BIRD prints behind a destination: `via A dev X`, or all hops of several. Of
 * BIRD 1 the first one, of BIRD 2, which has `unicast` first, what is in the lines below.
 */
static struct gm_text hop_of(struct gm_text rest)
{
	static const char *const attributes[] = {
		"proto", "scope", "src", "metric", "table", NULL
	};
	const char *below = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
	struct gm_text left = rest;

	while (left.at < left.end && (!below || left.at < below)) {
		struct gm_text word = word_of(&left);

		if (*word.at == '[')
			return trimmed((struct gm_text){ rest.at, word.at });
		if (is_word(word, "unicast") && below)
			return trimmed((struct gm_text){ below + 1, rest.end });
		if (is_one_of(word, attributes) && !below)
			return trimmed((struct gm_text){ rest.at, word.at });
	}
	return rest;
}

static int is_ip_route(struct gm_text rest)
{
	static const char *const words[] = { "via",	 "dev",	    "proto",	 "metric",
					     "scope",	 "table",   "nexthop",	 "nhid",
					     "src",	 "unicast", "blackhole", "unreachable",
					     "prohibit", NULL };

	return is_one_of(word_of(&rest), words);
}

static void set_family(struct gm_line *line)
{
	struct gm_text hop = line->next_hop;
	struct gm_text via = hop.at < hop.end ? word_of(&hop) : hop;

	if (line->family || !is_word(via, "via"))
		return;
	via = word_of(&hop);
	line->family = memchr(via.at, ':', (size_t)(via.end - via.at)) ? 6 : 4;
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
	line->reason = read_destination(word_of(&rest), line, 0);
	while (rest.at < rest.end && !is_word(word_of(&rest), "next-hop"))
		;
	line->next_hop = word_of(&rest);
	return 1;
}

static int is_number(struct gm_text word)
{
	const char *at = word.at;

	while (at < word.end && *at >= '0' && *at <= '9')
		at++;
	return at == word.end && at > word.at;
}

/* RIPE's riswhois dumps: origin, prefix, peers. The origin may be a set: `{1,2}`. */
static int read_origin(struct gm_text text, struct gm_line *line)
{
	struct gm_text rest = text, origin = word_of(&rest);
	const char *close = memchr(text.at, '}', (size_t)(text.end - text.at));

	if (*text.at == '{' && close) {
		origin = (struct gm_text){ text.at, close + 1 };
		rest = trimmed((struct gm_text){ close + 1, text.end });
	} else if (!is_number(origin)) {
		return 0;
	}
	line->reason = read_destination(word_of(&rest), line, 0);
	line->next_hop = origin;
	return 1;
}

/* CAIDA's pfx2as: address, length, origin. */
static int read_columns(struct gm_text text, struct gm_line *line)
{
	struct gm_text rest = text, address = word_of(&rest), length = word_of(&rest);
	char prefix[64];
	int bytes;

	if (!is_number(length) || memchr(address.at, '/', (size_t)(address.end - address.at)) ||
	    text.end - text.at >= (long)sizeof(prefix))
		return 0;
	bytes = snprintf(prefix, sizeof(prefix), "%.*s/%.*s", (int)(address.end - address.at),
			 address.at, (int)(length.end - length.at), length.at);
	line->reason = read_destination((struct gm_text){ prefix, prefix + bytes }, line, 0);
	line->next_hop = word_of(&rest);
	return 1;
}

static void read_words(struct gm_text text, struct gm_line *line)
{
	static const char *const types[] = { "unicast",	  "local", "broadcast", "multicast",
					     "blackhole", "throw", "prohibit",	"unreachable",
					     "anycast",	  NULL };
	struct gm_text rest = text;
	struct gm_text word = word_of(&rest);
	struct gm_text type = { word.at, word.at };
	int by_ip;

	if (read_announced(text, line) || read_origin(text, line) || read_columns(text, line)) {
		line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
		return;
	}
	if (is_one_of(word, types)) {
		type = word;
		word = word_of(&rest);
	}
	by_ip = type.end > type.at || is_word(word, "default") || is_ip_route(rest);
	line->reason = read_destination(word, line, by_ip);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	line->next_hop = by_ip ? hop_of(rest) : rest;
	if (line->next_hop.at == line->next_hop.end)
		line->next_hop = type;
	set_family(line);
}

/* A field of a line with bars, from 0; empty where there is none. */
static struct gm_text field_of(struct gm_text text, int number)
{
	struct gm_text field = { text.at, text.at };

	for (; field.at < text.end && number; field.at++)
		number -= *field.at == '|';
	field.end = field.at;
	while (field.end < text.end && *field.end != '|')
		field.end++;
	return field;
}

/* bgpreader: R or U|kind|time|...|prefix|next hop|...; older ones have fewer fields before it. */
static int read_stream(struct gm_text text, struct gm_line *line)
{
	static const char *const files[] = { "R", "U", NULL }, *const routes[] = { "R", "A", NULL };
	int at = 7;

	if (!is_one_of(field_of(text, 0), files))
		return 0;
	line->kind = GM_LINE_NO_ROUTE;
	if (!is_one_of(field_of(text, 1), routes))
		return 1;
	if (!memchr(field_of(text, at).at, '/',
		    (size_t)(field_of(text, at).end - field_of(text, at).at)))
		at = 9;
	line->reason = read_destination(field_of(text, at), line, 0);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	line->next_hop = field_of(text, at + 1);
	return 1;
}

/* TYPE|time|kind|peer|peer's AS|prefix|AS path|origin|next hop|... (bgpdump -m). */
static void read_bars(struct gm_text text, struct gm_line *line)
{
	static const char *const routes[] = { "B", "A", NULL };
	static const char *const none[] = { "W", "STATE", NULL };
	struct gm_text kind = field_of(text, 2);

	if (read_stream(text, line))
		return;
	line->kind = GM_LINE_NO_ROUTE;
	if (is_one_of(kind, none))
		return;
	line->reason = "a line with bars that is none of bgpdump -m";
	if (is_one_of(kind, routes))
		line->reason = read_destination(field_of(text, 5), line, 0);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	line->next_hop = field_of(text, 8);
}

/* BIRD's first lines, and the attributes below a route: `\tBGP.origin: IGP`. */
static int is_of_bird(struct gm_text text)
{
	static const char *const heads[] = { "BIRD", "Table", NULL };
	int is_below = text.at < text.end && is_blank(*text.at);
	struct gm_text word;

	text = trimmed(text);
	word = word_of(&text);
	if (is_one_of(word, heads))
		return 1;
	return is_below && word.end - word.at > 1 && word.end[-1] == ':' && word.end[-2] != ':';
}

void gm_line_read(struct gm_text text, struct gm_line *line)
{
	int is_head = is_of_bird(text);

	memset(line, 0, sizeof(*line));
	text = trimmed(text);
	line->next_hop.at = line->next_hop.end = text.at;
	if (text.at == text.end || *text.at == '#' || *text.at == '%' || is_head)
		return;
	if (memchr(text.at, '|', (size_t)(text.end - text.at)))
		read_bars(text, line);
	else
		read_words(text, line);
}

/* RFC 6396, section 2: time, type, subtype, length; TABLE_DUMP, TABLE_DUMP_V2, BGP4MP, BGP4MP_ET. */
static int is_mrt(const uint8_t *bytes, size_t size)
{
	static const uint8_t types[] = { 12, 13, 16, 17 };

	return size >= 12 && bytes[4] == 0 && memchr(types, bytes[5], sizeof(types)) &&
	       bytes[6] == 0 && bytes[7] <= 12;
}

const char *gm_line_binary(const char *text, size_t size)
{
	if (size >= 2 && memcmp(text, "\x1f\x8b", 2) == 0)
		return "compressed by gzip: unpack it by gunzip";
	if (size >= 3 && memcmp(text, "BZh", 3) == 0)
		return "compressed by bzip2: unpack it by bunzip2";
	if (size >= 6 && memcmp(text,
				"\xfd"
				"7zXZ",
				5) == 0)
		return "compressed by xz: unpack it by unxz";
	if (is_mrt((const uint8_t *)text, size))
		return "an MRT file, which is binary: make text of it by bgpdump -m";
	if (size && memchr(text, 0, size < 4096 ? size : 4096))
		return "no text: it has a byte of zeros";
	return NULL;
}
