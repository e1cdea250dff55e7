/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/patterns.h"

#include "common/grow.h"
#include "pattern/entry.h"
#include "pattern/foreign.h"
#include "pattern/regex.h"
#include "pattern/rule.h"
#include "table/binary.h"

#include <stdio.h>
#include <string.h>

static int reject(struct gm_patterns *patterns, uint32_t line, uint32_t offset, const char *reason)
{
	void *grown = gm_grow(patterns->rejected, &patterns->rejected_room,
			      patterns->rejected_count + 1, sizeof(*patterns->rejected));
	struct gm_rejected *rejected;

	if (!grown)
		return 0;
	patterns->rejected = grown;
	rejected = &patterns->rejected[patterns->rejected_count++];
	rejected->line = line;
	rejected->offset = offset;
	rejected->reason = reason;
	return 1;
}

/* Copies the expression or the literal's bytes to the set's text. Returns 0 without memory. */
static int keep_text(struct gm_patterns *patterns, struct gm_entry *entry,
		     struct gm_pattern *pattern)
{
	void *grown = gm_grow(patterns->text, &patterns->text_room,
			      patterns->text_count + entry->length + 1, 1);
	uint8_t *kept;

	if (!grown)
		return 0;
	patterns->text = grown;
	kept = patterns->text + patterns->text_count;
	pattern->text = patterns->text_count;
	pattern->length = entry->length;
	if (entry->flags & GM_REGEX_LITERAL)
		pattern->length = gm_entry_bytes(entry, kept);
	else if (entry->length)
		memcpy(kept, entry->text, entry->length);
	return 1;
}

static int accept(struct gm_patterns *patterns, const struct gm_pattern *pattern)
{
	uint32_t positions = patterns->forest->nodes[pattern->root].positions;
	void *grown;

	if (positions > GM_PATTERNS_POSITIONS - patterns->positions)
		return reject(patterns, pattern->line, 0,
			      "too large: more than 65535 positions in the set");
	grown = gm_grow(patterns->patterns, &patterns->pattern_room, patterns->count + 1,
			sizeof(*pattern));
	if (!grown)
		return 0;
	patterns->patterns = grown;
	patterns->patterns[patterns->count++] = *pattern;
	patterns->positions += positions;
	patterns->text_count += pattern->length;
	return 1;
}

/* Adds an option's name to the list, once; the list ends in dots where it is full. */
static void name_ignored(struct gm_patterns *patterns, const char *name)
{
	static const char more[] = ", ...";
	char *names = patterns->ignored_names;
	size_t used = strlen(names), length = strlen(name);

	for (const char *at = names; (at = strstr(at, name)) != NULL; at += length) {
		if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return;
	}
	if (used + length + 2 + sizeof(more) < GM_PATTERNS_NAMES)
		snprintf(names + used, GM_PATTERNS_NAMES - used, "%s%s", used ? ", " : "", name);
	else if (used && names[used - 1] != '.')
		memcpy(names + used, more, sizeof(more));
}

/* Counts an option that is not followed; of `depth 5` the name is the first word. */
static void ignore(struct gm_patterns *patterns, struct gm_piece name, const char *before)
{
	char word[40];
	int length = 0;

	while (length < 32 && length < (int)name.length && name.text[length] != ' ')
		length++;
	if (!length)
		return;
	patterns->ignored_options++;
	snprintf(word, sizeof(word), "%s%.*s", before, length, (const char *)name.text);
	name_ignored(patterns, word);
}

/* What an expression asks of its place: `/R` of a flag, and its parameters. */
static void ignore_flags(struct gm_patterns *patterns, const struct gm_entry *entry)
{
	static const uint8_t parameters[] = "/parameters";

	for (const char *at = entry->where; *at; at++) {
		const uint8_t letter = (uint8_t)*at;

		if (letter == GM_ENTRY_PARAMETERS)
			ignore(patterns, (struct gm_piece){ parameters, sizeof(parameters) - 1 },
			       "");
		else
			ignore(patterns, (struct gm_piece){ &letter, 1 }, "/");
	}
}

static int add_entry(struct gm_patterns *patterns, struct gm_entry *entry, uint32_t line)
{
	struct gm_pattern pattern = { line, 0, entry->flags, 0, 0, entry->ignored };
	struct gm_regex_error error = { NULL, 0 };

	if (!entry->reason && !keep_text(patterns, entry, &pattern))
		return 0;
	if (entry->reason)
		return reject(patterns, line, 0, entry->reason);
	pattern.root = gm_regex_parse(patterns->forest, patterns->text + pattern.text,
				      pattern.length, entry->flags, &error);
	if (pattern.root) {
		ignore_flags(patterns, entry);
		return accept(patterns, &pattern);
	}
	return error.reason ? reject(patterns, line, error.offset, error.reason) : 0;
}

/* A line as it stands, each byte of it. */
static int add_literal(struct gm_patterns *patterns, const uint8_t *text, uint32_t length,
		       uint32_t line)
{
	struct gm_entry entry = { .text = text, .length = length, .flags = GM_REGEX_LITERAL };

	entry.is_plain = 1;
	return add_entry(patterns, &entry, line);
}

/* Snort 3's; Snort 2 has an option of that name without an expression. */
static int is_regex(const struct gm_rule_option *option)
{
	return gm_piece_is(option->name, "regex") && option->is_quoted;
}

static int is_searched(const struct gm_rule_option *option)
{
	return gm_piece_is(option->name, "content") || gm_piece_is(option->name, "pcre") ||
	       gm_piece_is(option->name, "uricontent") || is_regex(option);
}

/* What Snort 3 writes behind a content: `, nocase, offset 5`. */
static void read_modifiers(struct gm_patterns *patterns, struct gm_entry *entry,
			   struct gm_piece modifiers)
{
	while (modifiers.length) {
		uint32_t length = 0;
		uint32_t word;

		while (length < modifiers.length && modifiers.text[length] != ',')
			length++;
		for (word = 0; word < length && modifiers.text[word] == ' '; word++)
			;
		if (gm_starts_with(modifiers.text + word, length - word, "nocase"))
			entry->flags |= GM_REGEX_CASELESS;
		else
			ignore(patterns, (struct gm_piece){ modifiers.text + word, length - word },
			       "");
		length += length < modifiers.length;
		modifiers.text += length;
		modifiers.length -= length;
	}
}

static struct gm_entry entry_of(struct gm_patterns *patterns, const struct gm_rule_option *option)
{
	struct gm_entry entry = { .text = option->value.text, .length = option->value.length };

	if (gm_piece_is(option->name, "pcre") || is_regex(option)) {
		if (entry.length && entry.text[0] == '/')
			gm_entry_slashes(&entry);
		else
			entry.reason = "pcre without its slashes";
		return entry;
	}
	if (!option->is_quoted) {
		entry.reason = "a text without its quotes";
		return entry;
	}
	entry.flags = GM_REGEX_LITERAL;
	read_modifiers(patterns, &entry, option->modifiers);
	return entry;
}

/* Each content and pcre of a rule; an option behind one of them may be about it. */
static int add_rule(struct gm_patterns *patterns, struct gm_piece options, uint32_t line)
{
	struct gm_entry entry = { .text = NULL };
	struct gm_rule_option option;
	int is_any = 0;
	int more;

	while ((more = gm_rule_next(&options, &option)) > 0) {
		if (is_searched(&option) && !option.is_negated) {
			if (is_any && !add_entry(patterns, &entry, line))
				return 0;
			entry = entry_of(patterns, &option);
			is_any = 1;
		} else if (gm_piece_is(option.name, "nocase") && is_any) {
			entry.flags |= GM_REGEX_CASELESS;
		} else if (!gm_rule_describes(option.name)) {
			ignore(patterns, option.name, option.is_negated ? "!" : "");
		}
	}
	if (more < 0)
		return reject(patterns, line, 0, "a text in quotes is not closed");
	if (!is_any)
		return reject(patterns, line, 0,
			      "a rule without content and pcre: nothing to search");
	return add_entry(patterns, &entry, line);
}

/* Whether a line has options of rules without a rule around them: `content:"foo"; nocase`. */
static int is_bare(const uint8_t *text, uint32_t length)
{
	return gm_starts_with(text, length, "content:") || gm_starts_with(text, length, "pcre:") ||
	       gm_starts_with(text, length, "uricontent:");
}

/* A line that is an expression as it stands; among lines of another form it is a fault. */
static int add_plain(struct gm_patterns *patterns, struct gm_entry *entry, uint32_t line)
{
	if (patterns->form == GM_FORM_RULES)
		return reject(patterns, line, 0, "no rule, in a file of rules");
	if (patterns->form == GM_FORM_NUMBERED)
		return reject(patterns, line, 0, "no NUMBER:/EXPRESSION/FLAGS, in a file of these");
	patterns->plain++;
	return add_entry(patterns, entry, line);
}

static int add_form(struct gm_patterns *patterns, const uint8_t *text, uint32_t length,
		    uint32_t line)
{
	struct gm_entry entry = { .text = text, .length = length };
	struct gm_piece options, trimmed = gm_piece_trimmed((struct gm_piece){ text, length });

	if (!trimmed.length || trimmed.text[0] == '#')
		return 1;
	if (is_bare(trimmed.text, trimmed.length))
		return add_rule(patterns, trimmed, line);
	if (gm_rule_is(text, length, &options))
		return options.text
			       ? add_rule(patterns, options, line)
			       : reject(patterns, line, 0, "a rule that no parenthesis closes");
	if (gm_entry_unwrap(&entry))
		return add_entry(patterns, &entry, line);
	return add_plain(patterns, &entry, line);
}

static int add_line(struct gm_patterns *patterns, const uint8_t *text, size_t length, uint32_t line)
{
	if (length > GM_PATTERNS_LINE)
		return reject(patterns, line, 0, "too large: a line of more than 1 MiB");
	if (length && text[length - 1] == '\r')
		length--;
	if (patterns->form == GM_FORM_LITERALS)
		return !length || add_literal(patterns, text, (uint32_t)length, line);
	return add_form(patterns, text, (uint32_t)length, line);
}

/* The next line, or the lines of the next rule: *lines is how many; a text has one a line. */
static size_t next_bytes(const struct gm_patterns *patterns, const uint8_t *text, size_t size,
			 uint32_t *lines)
{
	const uint8_t *end = memchr(text, '\n', size);

	*lines = 1;
	if (patterns->form == GM_FORM_LITERALS)
		return end ? (size_t)(end - text) : size;
	return gm_rule_bytes(text, size, lines);
}

/* The form of a file: one rule, or one numbered expression, and it is a file of these. */
static enum gm_form form_of(const uint8_t *text, size_t size)
{
	enum gm_form form = GM_FORM_AUTO;

	for (size_t at = 0; at < size;) {
		uint32_t lines;
		size_t length = gm_rule_bytes(text + at, size - at, &lines);
		struct gm_entry entry = {
			.text = text + at,
			.length = (uint32_t)(length > GM_PATTERNS_LINE ? 0 : length)
		};
		struct gm_piece options;

		if (lines > 1 || gm_rule_is(entry.text, entry.length, &options))
			return GM_FORM_RULES;
		if (gm_entry_numbered(&entry))
			form = GM_FORM_NUMBERED;
		at += length + 1;
	}
	return form;
}

/* Several lines are one rule. */
static int add_lines(struct gm_patterns *patterns, const uint8_t *text, size_t length,
		     uint32_t line)
{
	uint8_t *joined = malloc(length);
	int added;

	if (!joined)
		return 0;
	memcpy(joined, text, length);
	gm_rule_join(joined, length);
	added = add_line(patterns, joined, length, line);
	free(joined);
	return added;
}

static struct gm_patterns *empty(void)
{
	struct gm_patterns *patterns = calloc(1, sizeof(*patterns));

	if (!patterns)
		return NULL;
	patterns->forest = malloc(sizeof(*patterns->forest));
	if (!patterns->forest) {
		free(patterns);
		return NULL;
	}
	gm_forest_init(patterns->forest);
	return patterns;
}

static struct gm_patterns *read_all(struct gm_patterns *patterns, const uint8_t *text, size_t size)
{
	uint32_t line = 1;

	for (size_t at = 0; patterns && at < size;) {
		uint32_t lines;
		size_t length = next_bytes(patterns, text + at, size - at, &lines);

		if (!(lines > 1 ? add_lines : add_line)(patterns, text + at, length, line)) {
			gm_patterns_free(patterns);
			return NULL;
		}
		line += lines;
		at += length + 1;
	}
	return patterns;
}

struct gm_patterns *gm_patterns_read(const uint8_t *text, size_t size)
{
	return gm_patterns_read_as(GM_FORM_AUTO, text, size);
}

struct gm_patterns *gm_patterns_read_as(enum gm_form form, const uint8_t *text, size_t size)
{
	struct gm_patterns *patterns = empty();
	size_t mark = gm_binary_mark(text, size);

	if (!patterns)
		return NULL;
	patterns->reason = gm_binary_other(text, size);
	if (!patterns->reason && form != GM_FORM_LITERALS)
		patterns->reason = gm_binary_zeros(text, size);
	if (!patterns->reason && form != GM_FORM_LITERALS)
		patterns->reason = gm_foreign(text, size);
	if (patterns->reason)
		return patterns;
	patterns->form = form == GM_FORM_AUTO ? form_of(text + mark, size - mark) : form;
	return read_all(patterns, text + mark, size - mark);
}

struct gm_patterns *gm_patterns_subset(const struct gm_patterns *patterns, const uint32_t *ids,
				       uint32_t count)
{
	struct gm_patterns *subset = empty();

	for (uint32_t i = 0; subset && i < count; i++) {
		struct gm_pattern pattern = patterns->patterns[ids[i]];
		struct gm_entry entry = { .text = patterns->text + pattern.text,
					  .length = pattern.length };
		struct gm_regex_error error = { NULL, 0 };

		if (keep_text(subset, &entry, &pattern)) {
			pattern.root = gm_regex_parse(subset->forest, subset->text + pattern.text,
						      pattern.length, pattern.flags, &error);
			if (pattern.root && accept(subset, &pattern))
				continue;
		}
		gm_patterns_free(subset);
		return NULL;
	}
	return subset;
}

void gm_patterns_free(struct gm_patterns *patterns)
{
	if (!patterns)
		return;
	gm_forest_free(patterns->forest);
	free(patterns->forest);
	free(patterns->patterns);
	free(patterns->rejected);
	free(patterns->text);
	free(patterns);
}
