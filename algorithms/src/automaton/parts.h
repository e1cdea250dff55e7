/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern set in parts that each have a deterministic automaton within the bounds. */
#ifndef GM_AUTOMATON_PARTS_H
#define GM_AUTOMATON_PARTS_H

#include "automaton/dfa.h"

enum { GM_PARTS = 64 };

struct gm_part {
	struct gm_dfa dfa;
	uint32_t *ids; /* in the whole set, of the patterns of this part */
};

struct gm_parts {
	struct gm_part parts[GM_PARTS];
	uint32_t count;
	uint64_t peak_bytes;
};

/*
 * One part if its automaton stays within the bounds; else anchored patterns and others apart, and
 * halves of them. A status of enum gm_match_status; *error names the line of a single pattern that is
 * too large.
 */
int gm_parts_build(struct gm_parts *parts, const struct gm_patterns *patterns,
		   const struct gm_match_bounds *bounds, struct gm_match_error *error);

void gm_parts_free(struct gm_parts *parts);

#endif
