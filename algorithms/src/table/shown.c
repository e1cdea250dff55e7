/* SPDX-License-Identifier: Apache-2.0 */
/* What `show ip route` prints: FRR and Quagga, and the routers that they took it from. */
#include "table/read.h"
#include "table/word.h"

#define CODES 4 /* letters and marks of a word before the prefix: `S*`, `O`, `E2`, `i`, `L1` */
#define FRR_COLUMN 4 /* where FRR has the prefix; what it selected has a `>` before */

/* The first word with a slash, behind words that may be codes; empty where there is none. */
static struct gm_text prefix_of(struct gm_text *rest)
{
	struct gm_text word = word_of(rest);

	while (word.at < word.end && word.end - word.at <= CODES && !has_letter(word, '/'))
		word = word_of(rest);
	if (!has_letter(word, '/'))
		word.end = word.at;
	return word;
}

/* `[1/0] via A, eth0, ...`, `[1/0] unreachable (blackhole)`, `is directly connected, eth0`. */
static struct gm_text shown_hop(struct gm_text rest)
{
	static const char *const direct[] = { "is", "directly", "connected", NULL };
	struct gm_text left = rest, word = word_of(&left);

	if (*word.at == '[')
		word = word_of(&left);
	if (is_word(word, "via"))
		return word_of(&left);
	while (is_one_of(word, direct))
		word = word_of(&left);
	return word;
}

/* A line of FRR without the mark; another router has the hop of such a column in the next line. */
static int is_passed_over(struct gm_text text, struct gm_text prefix, struct gm_text hop)
{
	size_t width = (size_t)(hop.at - text.at);

	return prefix.at - text.at == FRR_COLUMN && text.at[1] != '>' &&
	       !memchr(text.at, '\n', width);
}

int gm_read_shown(struct gm_text text, struct gm_line *line)
{
	static const char *const direct[] = { "is", "directly", NULL };
	struct gm_text rest = text, prefix = prefix_of(&rest), left = rest, word = word_of(&left);

	if (prefix.at == text.at || word.at == word.end ||
	    (*word.at != '[' && !is_one_of(word, direct)))
		return 0;
	line->reason = gm_read_destination(prefix, line, 0);
	line->next_hop = shown_hop(rest);
	line->kind = GM_LINE_ROUTE;
	if (is_passed_over(text, prefix, line->next_hop))
		line->kind = GM_LINE_NO_ROUTE;
	if (line->reason)
		line->kind = GM_LINE_BAD;
	return 1;
}

int gm_is_shown_head(struct gm_text text)
{
	static const char *const heads[] = { "Codes:", "Gateway", "IPv4", "IPv6", "VRF", NULL };
	struct gm_text rest = trimmed(text), word = word_of(&rest);

	/* A line of the codes' meanings, and the net of a router whose subnets follow. */
	return is_one_of(word, heads) || is_word(word_of(&rest), "-") ||
	       (has_letter(word, '/') && is_word(word_of(&rest), "variably"));
}
