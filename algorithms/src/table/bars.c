/* SPDX-License-Identifier: Apache-2.0 */
/* Dumps of BGP as text, an entry a line whose fields have bars between them. */
#include "table/read.h"
#include "table/word.h"

/*
 * Which fields have what. A line is of a form where the field `head` is one of `heads` or, where
 * that is a route, the field `prefix` has a slash.
 */
struct form {
	int head;
	const char *const *routes, *const *others; /* a route; a withdrawal or a session's state */
	int prefix, hop;
};

static const char *const table_entry[] = { "=", "+", NULL }, *const table_gone[] = { "-", NULL };
static const char *const added[] = { "A", NULL }, *const withdrawn[] = { "W", NULL };
static const char *const entries[] = { "B", "A", NULL };
static const char *const states[] = { "W", "STATE", NULL };

static const struct form forms[] = {
	{ 0, table_entry, table_gone, 1, 3 }, /* bgpscanner */
	{ 0, added, withdrawn, 4, 7 }, /* bgpkit-parser: A|time|peer|AS|prefix|path|origin|hop */
	{ 2, entries, states, 5, 8 }, /* bgpdump -m: TYPE|time|kind|peer|AS|prefix|... */
};

static void read_route(struct gm_text text, struct gm_line *line, int prefix, int hop)
{
	line->reason = gm_read_destination(field_of(text, prefix), line, 0);
	line->kind = line->reason ? GM_LINE_BAD : GM_LINE_ROUTE;
	line->next_hop = field_of(text, hop);
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
	if (!has_letter(field_of(text, at), '/'))
		at = 9;
	read_route(text, line, at, at + 1);
	return 1;
}

void gm_read_bars(struct gm_text text, struct gm_line *line)
{
	if (read_stream(text, line))
		return;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct gm_text head = field_of(text, forms[i].head);

		if (is_one_of(head, forms[i].others)) {
			line->kind = GM_LINE_NO_ROUTE;
			return;
		}
		if (is_one_of(head, forms[i].routes) &&
		    has_letter(field_of(text, forms[i].prefix), '/')) {
			read_route(text, line, forms[i].prefix, forms[i].hop);
			return;
		}
	}
	line->kind = GM_LINE_BAD;
	line->reason = "a line with bars that is none of bgpdump -m";
}
