/* SPDX-License-Identifier: Apache-2.0 */
/* Byte sets in expressions: escapes and bracketed classes. */
#ifndef GM_PATTERN_CLASS_H
#define GM_PATTERN_CLASS_H

#include "pattern/parser.h"

/* Adds the other case of each ASCII letter of the set. */
void gm_class_fold(struct gm_byteset *set);

/*
 * Reads an escape at the parser and adds its bytes to the set. Returns 0 if it is rejected, 1 for a
 * single byte, 2 for a class such as \d.
 */
int gm_class_escape(struct gm_parser *parser, struct gm_byteset *set);

/* Reads [...] with the flags in force; 0 if it is rejected. */
int gm_class_bracket(struct gm_parser *parser, struct gm_byteset *set);

#endif
