/* SPDX-License-Identifier: Apache-2.0 */
/* What `show ip route` prints: FRR and Quagga, and the routers that they took it from. */
#include "table/read.h"
#include "table/word.h"

#define FRR_COLUMN 4 /* where FRR has the prefix; what it selected has a `>` before */

/* The first word that is no code: a prefix, or the address of one whose length stands above. */
static struct gm_text prefix_of(struct gm_text *rest)
{
	struct gm_text word = word_of(rest);

	while (word.at < word.end && word.end - word.at <= GM_CODE && !has_letter(word, '/'))
		word = word_of(rest);
	if (!has_letter(word, '/') && !has_letter(word, '.'))
		word.end = word.at;
	return word;
}

/* How long a route is there: `00:12:03`, `3w4d`. */
static int is_age(struct gm_text word)
{
	const char *at = word.at;
	int has_unit = 0;

	for (; at < word.end && (is_digit(*at) || strchr(":.ywdhms", *at)); at++)
		has_unit |= !is_digit(*at) && *at != '.';
	return at == word.end && word.at < word.end && is_digit(*word.at) && has_unit;
}

/*
 * `[1/0] via A, eth0, ...`, `[1/0], 3w4d, Null0`, `[1/0] unreachable (blackhole)`,
 * `is directly connected, 3w4d, eth0`, `is a summary, 3w4d, Null0`.
 */
static struct gm_text shown_hop(struct gm_text rest)
{
	static const char *const direct[] = { "is", "directly", "connected", "a", "summary", NULL };
	struct gm_text left = rest, word = word_of(&left);

	if (word.at < word.end && *word.at == '[')
		word = word_of(&left);
	if (is_word(word, "via"))
		return word_of(&left);
	while (is_one_of(word, direct) || is_age(word))
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

/* NX-OS: `10.0.0.0/8, ubest/mbest: 1/0`, and each hop below it, `*via A, Eth1/1, [1/0], ...`. */
static int read_best(struct gm_text text, struct gm_line *line)
{
	static const char *const via[] = { "*via", "via", "**via", NULL };
	struct gm_text rest = text, prefix = word_of(&rest);

	if (!is_word(word_of(&rest), "ubest/mbest:"))
		return 0;
	line->reason = gm_read_destination(prefix, line, 0);
	while (rest.at < rest.end && !is_one_of(word_of(&rest), via))
		;
	line->next_hop = word_of(&rest);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	return 1;
}

/* A prefix, or an address below `10.0.0.0/24 is subnetted`, whose length is that of the net. */
static const char *read_prefix(struct gm_text prefix, uint32_t subnet, struct gm_line *line)
{
	const char *reason;

	if (!subnet || has_letter(prefix, '/'))
		return gm_read_destination(prefix, line, 0);
	reason = gm_address_alone(prefix, &line->family, &line->key, &line->length);
	line->length = subnet;
	return reason;
}

int gm_read_shown(struct gm_text text, uint32_t subnet, struct gm_line *line)
{
	static const char *const direct[] = { "is", "directly", NULL };
	struct gm_text rest = text, prefix = prefix_of(&rest), left = rest, word = word_of(&left);

	if (read_best(text, line))
		return 1;
	if (prefix.at == text.at || word.at == word.end ||
	    (*word.at != '[' && !is_one_of(word, direct)))
		return 0;
	line->reason = read_prefix(prefix, subnet, line);
	line->next_hop = shown_hop(rest);
	line->kind = GM_LINE_ROUTE;
	if (is_passed_over(text, prefix, line->next_hop))
		line->kind = GM_LINE_NO_ROUTE;
	if (line->reason)
		line->kind = GM_LINE_BAD;
	return 1;
}
