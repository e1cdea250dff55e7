/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A rule of an intrusion detection system, as Snort and Suricata have them:
 *
 *   ACTION PROTOCOL ... (OPTION; OPTION:VALUE; ...)
 *
 * Source: Snort Users Manual 2.9, chapter 3; Snort 3 writes the modifiers of a content behind it.
 */
#ifndef GM_PATTERN_RULE_H
#define GM_PATTERN_RULE_H

#include <stddef.h>
#include <stdint.h>

/* A piece of a line. */
struct gm_piece {
	const uint8_t *text;
	uint32_t length;
};

struct gm_rule_option {
	struct gm_piece name;
	struct gm_piece value; /* a text in quotes without them, or what stands behind the colon */
	struct gm_piece modifiers; /* behind the quotes */
	int is_negated; /* !"..." */
	int is_quoted;
};

/*
 * The bytes of the line at `text`, without its end; of a rule in several lines, with a backslash at
 * their ends or as Snort 3 has them, up to its last parenthesis. *lines: how many these are.
 */
size_t gm_rule_bytes(const uint8_t *text, size_t size, uint32_t *lines);

/* Puts blanks in the place of comments, of the ends of lines and of the backslashes before them. */
void gm_rule_join(uint8_t *text, size_t length);

/*
 * Whether a line is a rule; *options is what stands in its parentheses then, without a text where
 * they are not closed.
 */
int gm_rule_is(const uint8_t *text, uint32_t length, struct gm_piece *options);

/* Takes the next option off. Returns 1, 0 at the end, or -1 where a text is not closed. */
int gm_rule_next(struct gm_piece *options, struct gm_rule_option *option);

/* Without the blanks at both ends. */
struct gm_piece gm_piece_trimmed(struct gm_piece piece);

int gm_piece_is(struct gm_piece piece, const char *word);

/* Whether an option says nothing about which packets the rule takes. */
int gm_rule_describes(struct gm_piece name);

#endif
