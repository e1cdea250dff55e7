/* SPDX-License-Identifier: Apache-2.0 */
/*
 * \b and \B, written with what the automata know. A pattern is found or not, wherever it begins or
 * ends, so at its own ends one more byte may be read, as `\bfoo\b` is `(?:\A|\W)foo(?:\z|\W)`.
 * Between two elements the bytes of both tell whether it always holds, or never.
 */
#ifndef GM_PATTERN_BOUNDARY_H
#define GM_PATTERN_BOUNDARY_H

#include "pattern/parser.h"

/* Replaces them in the tree at `root`. Returns `root`, or 0 with the reason of one that cannot be. */
uint32_t gm_boundaries_resolve(struct gm_parser *parser, uint32_t root);

#endif
