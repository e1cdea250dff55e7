/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GM_PATTERN_FOREIGN_H
#define GM_PATTERN_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* What a file of patterns is whose lines are no expressions: "a file of YARA's ...", or NULL. */
const char *gm_foreign(const uint8_t *text, size_t size);

#endif
