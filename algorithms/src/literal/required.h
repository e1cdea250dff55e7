/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings that an expression needs: each match has at least one of them. If the expression matches
 * just these strings and nothing else, they are exact, and finding one is a match.
 *
 * Source: X. Wang et al., "Hyperscan: a fast multi-pattern regex matcher for modern CPUs" (NSDI
 * 2019), section 4.1, where it is done by dominance on the graph; here on the tree.
 */
#ifndef GM_LITERAL_REQUIRED_H
#define GM_LITERAL_REQUIRED_H

#include "pattern/forest.h"

enum { GM_REQUIRED_STRINGS = 16, GM_REQUIRED_BYTES = 32 };

struct gm_string {
	uint8_t bytes[GM_REQUIRED_BYTES];
	uint8_t length;
	uint8_t nocase; /* some letter may have either case */
	uint8_t cased; /* some letter has one case */
};

/* count 0: none. */
struct gm_strings {
	uint32_t count;
	struct gm_string strings[GM_REQUIRED_STRINGS];
};

struct gm_required {
	struct gm_strings exact; /* all that the expression matches */
	struct gm_strings best; /* the longest set of which every match has one */
	int loose; /* an assertion, or letters of both kinds: exact is too wide */
};

void gm_required_of(const struct gm_forest *forest, uint32_t node, struct gm_required *required);

/* The length of the shortest string; 0 for none. */
uint32_t gm_strings_shortest(const struct gm_strings *strings);

#endif
