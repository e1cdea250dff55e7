/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line of a table as people have it:
 *
 *   PREFIX                             `192.0.2.0/24`, `2001:db8::/32`, `192.0.2.0/255.255.255.0`
 *   PREFIX NEXTHOP                     with blanks, a tab, a comma or a semicolon between both
 *   ADDRESS MASK NEXTHOP               as routers have it
 *   default via A dev X ...            what `ip route` prints, also its types and `nexthop` lines
 *   ip route add PREFIX via A          the command, also as of FRR: `ip route PREFIX A`
 *   TABLE_DUMP2|...|PREFIX|...|A|...   what `bgpdump -m` prints (of RFC 6396), also BGP4MP
 *   TIME: ...                          what bgpdump prints without -m: lines up to an empty one
 *   =|PREFIX|...|A|...                 what bgpscanner prints
 *   A|...|PREFIX|...|A|...             what bgpkit-parser prints
 *   R|R|...|PREFIX|A|...               what `bgpreader` prints
 *   PREFIX via A on X [...]            what BIRD's `show route` prints, 1 and 2
 *   S>* PREFIX [1/0] via A, X, ...     what `show ip route` prints, of FRR and of routers
 *   announce route PREFIX next-hop A   ExaBGP's API and configuration
 *   ORIGIN PREFIX PEERS                RIPE's riswhois dumps
 *   ADDRESS LENGTH ORIGIN              CAIDA's pfx2as
 */
#ifndef GM_TABLE_LINE_H
#define GM_TABLE_LINE_H

#include "table/read.h"

/*
 * The line at `text`, without its end, with the `nexthop` lines that belong to it. *next is where
 * the next one begins; as many as were read are added to *lines.
 */
struct gm_text gm_line_take(const char *text, const char *end, const char **next, uint32_t *lines);

void gm_line_read(struct gm_text text, struct gm_context *context, struct gm_line *line);

#endif
