/* SPDX-License-Identifier: Apache-2.0 */
/* Routes as `ip route` and BIRD print them, as commands add them, and prefixes with a hop. */
#include "table/read.h"
#include "table/word.h"

static const char *const types[] = { "unicast", "local",    "broadcast",   "multicast", "blackhole",
				     "throw",	"prohibit", "unreachable", "anycast",	NULL };

const char *gm_read_destination(struct gm_text word, struct gm_line *line, int is_ip_route)
{
	const char *reason;

	if (is_word(word, "default")) {
		line->length = 0;
		line->key = gm_key4(0);
		return NULL;
	}
	reason = gm_address_parse(word, &line->family, &line->key, &line->length);
	if (reason && is_ip_route && !has_letter(word, '/'))
		return gm_address_alone(word, &line->family, &line->key, &line->length);
	return reason;
}

/* From the word on, or nothing of a text that has no such word. */
static struct gm_text from_word(struct gm_text text, const char *name)
{
	while (text.at < text.end) {
		struct gm_text before = text;

		if (is_word(word_of(&text), name))
			return before;
	}
	return text;
}

/* The end of the words that say where packets go: of `via A dev X`, not of `proto static`. */
static const char *end_of_hop(struct gm_text rest)
{
	static const char *const pairs[] = { "via", "dev", "on", "nhid", NULL };
	static const char *const families[] = { "inet", "inet6", NULL };
	struct gm_text left = rest, word = word_of(&left);

	if (is_word(word, "encap"))
		return rest.end;
	if (is_one_of(word, types))
		return word.end;
	while (is_one_of(word, pairs) && left.at < left.end) {
		word = word_of(&left);
		if (is_one_of(word, families))
			word = word_of(&left);
		rest.at = word.end;
		word = word_of(&left);
	}
	return rest.at;
}

/*
 * Of what `ip route` or BIRD prints behind a destination: `via A dev X`, or all hops of several. Of
 * BIRD 1 the first one, of BIRD 2, which has `unicast` first, what is in the lines below.
 */
static struct gm_text hop_of(struct gm_text rest)
{
	const char *below = memchr(rest.at, '\n', (size_t)(rest.end - rest.at));
	struct gm_text left = rest, hops = from_word(rest, "nexthop");

	if (hops.at < hops.end)
		return hops;
	while (left.at < left.end && (!below || left.at < below)) {
		struct gm_text word = word_of(&left);

		if (word.at < word.end && *word.at == '[')
			return trimmed((struct gm_text){ rest.at, word.at });
		if (is_word(word, "unicast") && below)
			return trimmed((struct gm_text){ below + 1, rest.end });
	}
	return below ? rest : (struct gm_text){ rest.at, end_of_hop(rest) };
}

static int is_ip_route(struct gm_text rest)
{
	static const char *const words[] = { "via",	 "dev",	    "proto",	 "metric",
					     "scope",	 "table",   "nexthop",	 "nhid",
					     "src",	 "unicast", "blackhole", "unreachable",
					     "prohibit", "encap",   NULL };

	return is_one_of(word_of(&rest), words);
}

/* Of `default`, the family of the first address behind it: of its hop, or of its mask. */
static void set_family(struct gm_text rest, struct gm_line *line)
{
	struct gm_key key;
	uint32_t length;
	unsigned family;

	while (!line->family && rest.at < rest.end) {
		if (!gm_address_alone(word_of(&rest), &family, &key, &length))
			line->family = family;
	}
}

struct gm_text gm_without_command(struct gm_text text)
{
	static const char *const first[] = { "ip", "ipv6", NULL };
	static const char *const further[] = { "ip",	 "ipv6", "-4",	   "-6",
					       "route",	 "add",	 "append", "replace",
					       "change", "-net", NULL };
	struct gm_text rest = text, word = word_of(&rest);

	if (word.end - word.at > 1 && *word.at == 'R' && has_letter(word, '/'))
		return (struct gm_text){ text.at + 1, text.end }; /* l3fwd's `R10.0.0.0/8 0` */
	if (is_word(word, "route"))
		word = word_of(&rest);
	if (!is_one_of(word, first) && !is_word(word, "add") && !is_word(word, "replace"))
		return text;
	while (is_one_of(word, further)) {
		text = rest;
		word = word_of(&rest);
	}
	return text;
}

/* Whether a route is of a table that look-ups of other routes never reach: `table 100`. */
static int is_elsewhere(struct gm_text rest)
{
	static const char *const common[] = { "main", "local", "default", "254", "255", NULL };
	struct gm_text table = from_word(rest, "table");

	if (table.at == table.end)
		return 0;
	word_of(&table);
	return !is_one_of(word_of(&table), common);
}

void gm_read_route(struct gm_text text, struct gm_line *line)
{
	struct gm_text rest = text;
	struct gm_text word = word_of(&rest);
	struct gm_text type = { word.at, word.at };
	int by_ip;

	if (is_one_of(word, types)) {
		type = word;
		word = word_of(&rest);
	}
	by_ip = type.end > type.at || is_word(word, "default") || is_ip_route(rest);
	line->reason = gm_read_destination(word, line, by_ip);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	line->next_hop = by_ip ? hop_of(rest) : rest;
	if (line->next_hop.at == line->next_hop.end)
		line->next_hop = type;
	if (by_ip && !line->reason && is_elsewhere(rest))
		line->kind = GM_LINE_NO_ROUTE;
	set_family(rest, line);
}
