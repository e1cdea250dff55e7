/* SPDX-License-Identifier: Apache-2.0 */
/* Is each line of a set searched or named? A rate of a set is of what was searched alone. */
#ifndef GM_TEST_ACCOUNTED_H
#define GM_TEST_ACCOUNTED_H

#include "gm/patterns.h"

#include <string.h>

static inline int is_named(const struct gm_patterns *patterns, uint32_t line)
{
	for (uint32_t i = 0; i < patterns->count; i++) {
		if (patterns->patterns[i].line == line)
			return 1;
	}
	for (uint32_t i = 0; i < patterns->rejected_count; i++) {
		if (patterns->rejected[i].line == line)
			return 1;
	}
	return 0;
}

/* Whether a line of this form asks for nothing: it is blank or, but of texts, a comment. */
static inline int asks_nothing(enum gm_form form, const uint8_t *at, size_t length)
{
	length -= length && at[length - 1] == '\r';
	while (form != GM_FORM_LITERALS && length && (*at == ' ' || *at == '\t')) {
		at++;
		length--;
	}
	return !length || (form != GM_FORM_LITERALS && *at == '#');
}

/* The number of the first line that is neither searched nor named, or 0. A rule may have several. */
static inline uint32_t line_left_out(const struct gm_patterns *patterns, const uint8_t *text,
				     size_t size)
{
	size_t at = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

	if (patterns->reason || patterns->form == GM_FORM_RULES)
		return 0;
	for (uint32_t line = 1; at < size; line++) {
		const uint8_t *end = memchr(text + at, '\n', size - at);
		size_t length = end ? (size_t)(end - text) - at : size - at;

		if (!asks_nothing(patterns->form, text + at, length) && !is_named(patterns, line))
			return line;
		at += length + 1;
	}
	return 0;
}

#endif
