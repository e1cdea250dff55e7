/* SPDX-License-Identifier: Apache-2.0 */
/* What stands around the routes of `show ip route`: commands, codes, times, tables' names. */
#include "table/read.h"
#include "table/word.h"

/* `VRF: A`, `[VRF: A]`, `VRF A:`, `IP Route Table for VRF "A"`, `Routing table for VRF=0`. */
static struct gm_text vrf_of(struct gm_text text)
{
	static const char *const names[] = { "VRF", "VRF:", "[VRF:", NULL };
	struct gm_text rest = text, word = word_of(&rest);

	if (is_word(word, "Routing") && is_word(word_of(&rest), "Table:"))
		return rest;
	rest = text;
	do {
		word = word_of(&rest);
		if (word.end - word.at > 4 && memcmp(word.at, "VRF=", 4) == 0)
			return word;
	} while (word.at < word.end && !is_one_of(word, names));
	while (rest.end > rest.at && (is_gap(rest.end[-1]) || strchr(":]", rest.end[-1])))
		rest.end--;
	return rest;
}

/* A prompt and what was typed: `router#show ip route`. */
static int is_command(struct gm_text text)
{
	struct gm_text rest = text, word = word_of(&rest);
	const char *mark = word.at;

	while (mark < word.end && *mark != '#' && *mark != '>')
		mark++;
	if (mark == word.at || mark == word.end)
		return 0;
	return is_word(word_of(&rest), "ip") ||
	       is_word((struct gm_text){ mark + 1, word.end }, "show") || is_word(rest, "route");
}

/* `Mon Jan 29 19:00:32.892 UTC`, which some routers print first. */
static int is_time(struct gm_text word)
{
	static const char *const days[] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun", NULL };

	return is_one_of(word, days);
}

/* What a code means: `S - static`, `O E2 - OSPF external`; of NX-OS `'*' denotes ...`. */
static int is_code(struct gm_text text)
{
	struct gm_text rest = text, word = word_of(&rest);

	if (word.at < word.end && *word.at == '\'')
		return 1;
	while (word.at < word.end && word.end - word.at <= GM_CODE && !is_word(word, "-"))
		word = word_of(&rest);
	return is_word(word, "-") && word.at > text.at;
}

/* The net of a router whose subnets follow; with one length for all of them it is theirs. */
static int read_net(struct gm_text text, struct gm_context *context)
{
	struct gm_text rest = text, net = word_of(&rest), word = word_of(&rest);
	struct gm_line line;

	if (is_word(word, "is"))
		word = word_of(&rest);
	if (!has_letter(net, '/') || (!is_word(word, "variably") && !is_word(word, "subnetted")))
		return 0;
	context->subnet = 0;
	if (is_word(word, "subnetted") && !gm_read_destination(net, &line, 0))
		context->subnet = line.length;
	return 1;
}

/* A line with a prefix is a route, whatever it begins with, or a fault. */
static int has_prefix(struct gm_text text)
{
	for (const char *at = text.at; at + 1 < text.end; at++) {
		if (*at == '/' && at > text.at && (is_digit(at[-1]) || at[-1] == ':') &&
		    is_digit(at[1]))
			return 1;
	}
	return 0;
}

int gm_read_head(struct gm_text text, struct gm_context *context, struct gm_line *line)
{
	static const char *const heads[] = { "Codes:", "Gateway", "IPv4",    "IPv6",
					     "IP",     "Total",	  "Kernel",  "VRF",
					     "VRF:",   "[VRF:",	  "Routing", NULL };
	struct gm_text trim = trimmed(text), rest = trim, word = word_of(&rest), vrf = vrf_of(trim);

	if (read_net(trim, context))
		return 1;
	if (has_prefix(trim))
		return 0;
	if (is_time(word) || is_command(trim) || is_code(trim))
		return 1;
	if (!is_one_of(word, heads))
		return 0;
	if (vrf.at == vrf.end)
		return 1;
	if (context->routes && !is_same(vrf, context->vrf)) {
		line->kind = GM_LINE_BAD;
		line->reason = "routes of a second VRF: give a file of one";
	}
	context->vrf = vrf;
	return 1;
}
