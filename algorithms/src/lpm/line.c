/* SPDX-License-Identifier: Apache-2.0 */
#include "lpm/line.h"

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

/* `ip route` breaks the hops of a route into lines of their own (ip-route(8)). */
static int goes_on(const char *at, const char *end)
{
	static const char word[] = "nexthop ";
	const char *first = at;

	while (at < end && is_blank(*at))
		at++;
	return at > first && (size_t)(end - at) >= sizeof(word) - 1 &&
	       memcmp(at, word, sizeof(word) - 1) == 0;
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

/* Of what `ip route` prints behind a destination: `via A dev X`, or all hops of several. */
static struct gm_text hop_of(struct gm_text rest)
{
	static const char *const attributes[] = {
		"proto", "scope", "src", "metric", "table", NULL
	};
	struct gm_text left = rest;

	if (memchr(rest.at, '\n', (size_t)(rest.end - rest.at)))
		return rest;
	while (left.at < left.end) {
		struct gm_text word = word_of(&left);

		if (is_one_of(word, attributes))
			return trimmed((struct gm_text){ rest.at, word.at });
	}
	return rest;
}

static int is_ip_route(struct gm_text rest)
{
	static const char *const words[] = { "via",   "dev",	 "proto", "metric", "scope",
					     "table", "nexthop", "nhid",  "src",    NULL };

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

static void read_words(struct gm_text text, struct gm_line *line)
{
	static const char *const types[] = { "unicast",	  "local", "broadcast", "multicast",
					     "blackhole", "throw", "prohibit",	"unreachable",
					     "anycast",	  NULL };
	struct gm_text rest = text;
	struct gm_text word = word_of(&rest);
	struct gm_text type = { word.at, word.at };
	int by_ip;

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

/* TYPE|time|kind|peer|peer's AS|prefix|AS path|origin|next hop|... (bgpdump -m). */
static void read_bars(struct gm_text text, struct gm_line *line)
{
	static const char *const routes[] = { "B", "A", NULL };
	static const char *const none[] = { "W", "STATE", NULL };
	struct gm_text kind = field_of(text, 2);

	line->kind = GM_LINE_NO_ROUTE;
	if (is_one_of(kind, none))
		return;
	line->reason = "a line with bars that is none of bgpdump -m";
	if (is_one_of(kind, routes))
		line->reason = read_destination(field_of(text, 5), line, 0);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	line->next_hop = field_of(text, 8);
}

void gm_line_read(struct gm_text text, struct gm_line *line)
{
	memset(line, 0, sizeof(*line));
	text = trimmed(text);
	line->next_hop.at = line->next_hop.end = text.at;
	if (text.at == text.end || *text.at == '#')
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
