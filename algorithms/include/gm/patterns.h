/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A set of patterns, read from a file with one pattern a line:
 *
 *   REGEX                          a regular expression; `#` begins a comment line
 *   /REGEX/FLAGS                   Snort's pcre: flags i s m x A E G are honoured, buffers ignored
 *   pcre:"/REGEX/FLAGS";           the same
 *   content:"TEXT|41 42|"; nocase  Snort's content: a literal with bytes in hexadecimal
 *   l7:REGEX                       an L7-filter pattern, which is always caseless
 *   NUMBER:/REGEX/FLAGS            as Hyperscan's tools have it; flags i s m are honoured
 *   alert tcp ... (OPTIONS)        a rule of Snort or Suricata: each content, pcre and regex of it
 *                                  is a pattern; where in a packet it has to be is ignored
 *
 * A file with a rule has rules alone, and one with a number numbered lines: what is none of them
 * there is rejected, as a text that no one meant to search.
 *
 * A pattern's id is its place among the accepted ones, from 0. What cannot be compiled is kept with
 * its line and reason, and never dropped silently.
 */
#ifndef GM_PATTERNS_H
#define GM_PATTERNS_H

#include <stddef.h>
#include <stdint.h>

struct gm_forest;

enum {
	GM_PATTERNS_POSITIONS = 65535, /* of all patterns of a set */
	GM_PATTERNS_LINE = 1 << 20, /* bytes of a line */
	GM_PATTERNS_NAMES = 480, /* bytes of the ignored options' names */
};

/* How lines are read. A file with a rule has rules alone, one with a number numbered lines. */
enum gm_form {
	GM_FORM_AUTO, /* expressions, each as it is wrapped */
	GM_FORM_LITERALS, /* each line as it stands, also one that begins with # */
	GM_FORM_RULES,
	GM_FORM_NUMBERED,
};

struct gm_pattern {
	uint32_t line; /* in the file, from 1 */
	uint32_t root; /* its tree in the forest */
	uint32_t flags; /* enum gm_regex_flag */
	uint32_t text, length; /* the expression or the literal's bytes, in `text` of the set */
	uint32_t ignored_flags; /* how many flags were recorded and ignored */
};

struct gm_rejected {
	uint32_t line;
	uint32_t offset; /* in the expression, from 0 */
	const char *reason;
};

struct gm_patterns {
	struct gm_forest *forest;
	struct gm_pattern *patterns;
	uint32_t count, pattern_room;
	struct gm_rejected *rejected;
	uint32_t rejected_count, rejected_room;
	uint8_t *text; /* a copy of all expressions */
	uint32_t text_count, text_room;
	uint32_t positions; /* of all accepted patterns */
	enum gm_form form;
	const char *reason; /* why the file as a whole cannot be read, or NULL */
	uint32_t plain; /* lines that are searched as an expression without any wrapper */
	uint32_t ignored_options; /* of rules: what they ask besides */
	char ignored_names
		[GM_PATTERNS_NAMES]; /* of those options, the first of them: "offset, depth" */
};

/*
 * Reads a set from `size` bytes of text. Returns it, or NULL without memory. Lines may end in CRLF.
 */
struct gm_patterns *gm_patterns_read(const uint8_t *text, size_t size);

/* The same, of GM_FORM_AUTO or GM_FORM_LITERALS. */
struct gm_patterns *gm_patterns_read_as(enum gm_form form, const uint8_t *text, size_t size);

/* A new set of the patterns whose ids are in `ids`; new ids count from 0. NULL without memory. */
struct gm_patterns *gm_patterns_subset(const struct gm_patterns *patterns, const uint32_t *ids,
				       uint32_t count);

/*
 * The text of a set that comes with the library, NULL if there is none of that name: aut1, aut2,
 * aut3 stand in for the sets of 1, 3 and 35 expressions of the 2012 study, which were not
 * published; T1 to T5 are small ones with known counts.
 */
const char *gm_patterns_builtin(const char *name);

void gm_patterns_free(struct gm_patterns *patterns);

#endif
