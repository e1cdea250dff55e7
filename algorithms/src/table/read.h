/* SPDX-License-Identifier: Apache-2.0 */
/* A line as it was read, and its readers, one a family of forms. */
#ifndef GM_TABLE_READ_H
#define GM_TABLE_READ_H

#include "lpm/address.h"

enum gm_line_kind {
	GM_LINE_EMPTY, /* or a comment */
	GM_LINE_ROUTE,
	GM_LINE_NO_ROUTE, /* a withdrawal, a session's state, a route of another table of the box */
	GM_LINE_BAD
};

struct gm_line {
	enum gm_line_kind kind;
	unsigned family; /* 4 or 6; 0: `default` of a family that the line does not tell */
	struct gm_key key;
	uint32_t length;
	struct gm_text next_hop; /* empty: the line names none */
	const char *reason; /* of GM_LINE_BAD */
};

/* Letters and marks of a word before a prefix, at most: `S*`, `O`, `E2`, `i`, `L1`, `(!)`. */
enum { GM_CODE = 4 };

/* What lines say of those below them; all 0 at the begin of a file. */
struct gm_context {
	uint32_t subnet; /* the length of prefixes without one; 0: they are faults */
	struct gm_text vrf; /* whose routes these are */
	int routes; /* whether there was any */
};

/* A prefix, or as `ip route` has it: an address alone, or `default`. Returns NULL, or why not. */
const char *gm_read_destination(struct gm_text word, struct gm_line *line, int is_ip_route);

/* A line with bars. */
void gm_read_bars(struct gm_text text, struct gm_line *line);

/* What `ip route` or BIRD prints, or a prefix with or without its hop. */
void gm_read_route(struct gm_text text, struct gm_line *line);

/* What `show ip route` prints. Returns 0 where the line is none of it. */
int gm_read_shown(struct gm_text text, uint32_t subnet, struct gm_line *line);

/* What stands around its routes. Returns 0 where the line is none of that. */
int gm_read_head(struct gm_text text, struct gm_context *context, struct gm_line *line);

/* A line without the words of a command before its destination: `ip -6 route add`, `ip route`. */
struct gm_text gm_without_command(struct gm_text text);

/* What bgpdump prints without -m: lines from `TIME:` on. */
void gm_read_block(struct gm_text text, struct gm_line *line);

#endif
