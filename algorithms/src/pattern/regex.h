/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regular expressions of bytes, read into trees.
 *
 * Syntax: what Snort's pcre and L7-filter's patterns use: literals, `.`, classes with POSIX names,
 * escapes, `^ $ \A \z \Z`, groups, flags (?imsx), `* + ?` and {n,m}, greedy or lazy. What is not
 * regular (back-references, look-around, atomic groups, recursion) is rejected with a reason, and
 * so is a \b whose neighbours are not known: see boundary.h.
 */
#ifndef GM_PATTERN_REGEX_H
#define GM_PATTERN_REGEX_H

#include <stddef.h>

#include "pattern/forest.h"

/* The tree of an expression: its root, or 0 and *error. `flags` are of enum gm_regex_flag. */
uint32_t gm_regex_parse(struct gm_forest *forest, const uint8_t *text, size_t length,
			unsigned flags, struct gm_regex_error *error);

/*
 * Writes the tree as an expression that needs no flags: at most `room` bytes with a 0 at the end.
 * Returns the length that it has or would have. Parsed again, it gives an equal tree.
 */
size_t gm_regex_print(const struct gm_forest *forest, uint32_t root, char *text, size_t room);

/*
 * The oracle: does the tree match `text` anywhere? It follows the tree with sets of offsets, without
 * any automaton. Returns 1, 0, or -1 for a text of more than 63 bytes.
 */
int gm_regex_matches(const struct gm_forest *forest, uint32_t root, const uint8_t *text,
		     unsigned length);

#endif
