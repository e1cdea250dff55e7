/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GM_TABLE_BINARY_H
#define GM_TABLE_BINARY_H

#include <stddef.h>
#include <stdint.h>

/* What a file is that has no lines of UTF-8, and what makes lines of it; NULL: it may have some. */
const char *gm_binary_other(const uint8_t *bytes, size_t size);

/* Whether it begins as no text does: why not, or NULL. */
const char *gm_binary_zeros(const uint8_t *bytes, size_t size);

/* Whether it is JSON: an object, or a list of objects or texts. */
int gm_binary_json(const uint8_t *bytes, size_t size);

/* What a file is that is no table of lines: "an MRT file ...", or NULL. */
const char *gm_binary_table(const uint8_t *bytes, size_t size);

/* The bytes of a mark of UTF-8 that editors put before a text; 0: there is none. */
size_t gm_binary_mark(const uint8_t *bytes, size_t size);

#endif
