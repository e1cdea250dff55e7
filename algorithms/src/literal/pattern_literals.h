/* SPDX-License-Identifier: Apache-2.0 */
/* The literals of a pattern set: those that its patterns are, or that they need. */
#ifndef GM_LITERAL_PATTERN_LITERALS_H
#define GM_LITERAL_PATTERN_LITERALS_H

#include "gm/literals.h"
#include "gm/match.h"
#include "gm/patterns.h"
#include "literal/required.h"

struct gm_pattern_literals {
	struct gm_literal *literals; /* their id is the pattern's */
	uint32_t count, room;
	uint8_t *bytes;
	uint32_t used, byte_room;
};

/* Adds strings as literals of a pattern. GM_MATCH_OK or GM_MATCH_MEMORY. */
int gm_pattern_literals_add(struct gm_pattern_literals *literals, const struct gm_strings *strings,
			    uint32_t id);

/* Sets where the literals' bytes are, once all are added. */
void gm_pattern_literals_end(struct gm_pattern_literals *literals);

/* All patterns as literals; GM_MATCH_INPUT with the line of one that is no set of strings. */
int gm_pattern_literals_exact(struct gm_pattern_literals *literals,
			      const struct gm_patterns *patterns, struct gm_match_error *error);

void gm_pattern_literals_free(struct gm_pattern_literals *literals);

/* Empties pairs, and makes room for `least` or for as many as the last scan found. */
int gm_pairs_room(struct gm_pairs *pairs, uint32_t least);

#endif
