/* SPDX-License-Identifier: Apache-2.0 */
/* An expression or a literal as a line has it: its wrapper, its flags, its bytes. */
#ifndef GM_PATTERN_ENTRY_H
#define GM_PATTERN_ENTRY_H

#include "pattern/rule.h"

enum { GM_ENTRY_NAMES = 8, GM_ENTRY_PARAMETERS = '{' };

/* A line's expression, without its wrapper. */
struct gm_entry {
	const uint8_t *text;
	uint32_t length;
	uint32_t flags; /* enum gm_regex_flag */
	uint32_t ignored; /* flags */
	char where[GM_ENTRY_NAMES + 1]; /* those of them that say where in a packet it has to be */
	int is_plain; /* a literal without escapes */
	const char *reason; /* why the wrapper cannot be read */
};

int gm_starts_with(const uint8_t *text, uint32_t length, const char *word);

/* /REGEX/FLAGS of Perl and Snort. */
void gm_entry_slashes(struct gm_entry *entry);

/* NUMBER:/REGEX/FLAGS{PARAMETERS}; returns 0 where the line is none. */
int gm_entry_numbered(struct gm_entry *entry);

/* Takes the wrapper of an expression off. Returns 0 of a line that has none. */
int gm_entry_unwrap(struct gm_entry *entry);

/* The bytes of a content, no more than its text has. Returns their number. */
uint32_t gm_entry_bytes(struct gm_entry *entry, uint8_t *bytes);

#endif
