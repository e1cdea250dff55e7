/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of a line, one a family of forms. */
#ifndef GM_TABLE_READ_H
#define GM_TABLE_READ_H

#include "table/line.h"

/* A prefix, or as `ip route` has it: an address alone, or `default`. Returns NULL, or why not. */
const char *gm_read_destination(struct gm_text word, struct gm_line *line, int is_ip_route);

/* A line with bars. */
void gm_read_bars(struct gm_text text, struct gm_line *line);

/* What `ip route` or BIRD prints, or a prefix with or without its hop. */
void gm_read_route(struct gm_text text, struct gm_line *line);

/* A line without the words of a command before its destination: `ip -6 route add`, `ip route`. */
struct gm_text gm_without_command(struct gm_text text);

/* What bgpdump prints without -m: lines from `TIME:` on. */
void gm_read_block(struct gm_text text, struct gm_line *line);

#endif
