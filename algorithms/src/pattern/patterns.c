/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/patterns.h"

#include "common/grow.h"
#include "pattern/regex.h"
#include "pattern/rule.h"

#include <stdio.h>
#include <string.h>

/* A line's expression, without its wrapper. */
struct entry {
	const uint8_t *text;
	uint32_t length;
	uint32_t flags;
	uint32_t ignored;
	const char *reason; /* why the wrapper cannot be read */
};

static int starts_with(const uint8_t *text, uint32_t length, const char *word)
{
	return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

static void add_flag(struct entry *entry, uint8_t letter)
{
	switch (letter) {
	case 'i':
		entry->flags |= GM_REGEX_CASELESS;
		break;
	case 's':
		entry->flags |= GM_REGEX_DOT_ALL;
		break;
	case 'm':
		entry->flags |= GM_REGEX_MULTILINE;
		break;
	case 'x':
		entry->flags |= GM_REGEX_EXTENDED;
		break;
	case 'A':
		entry->flags |= GM_REGEX_ANCHORED;
		break;
	case 'E':
		entry->flags &= ~(uint32_t)GM_REGEX_DOLLAR_NEWLINE;
		break;
	case 'G': /* greediness does not change whether there is a match */
		break;
	default:
		entry->ignored++;
		if (!strchr("RUIPHDMCKSYBO", letter) || !letter)
			entry->reason = "unknown flag";
	}
}

/* /REGEX/FLAGS */
static void read_slashes(struct entry *entry, void (*add)(struct entry *entry, uint8_t letter))
{
	uint32_t end = entry->length;

	while (end > 1 && entry->text[end - 1] != '/')
		end--;
	if (end <= 1) {
		entry->reason = "an expression in slashes is not closed";
		return;
	}
	entry->flags |= GM_REGEX_DOLLAR_NEWLINE;
	for (uint32_t i = end; i < entry->length && entry->text[i] != '{'; i++)
		add(entry, entry->text[i]);
	if (memchr(entry->text + end, '{', entry->length - end))
		entry->ignored++;
	entry->text++;
	entry->length = end - 2;
}

/* Cuts what is between the first quote and the last; the rest is what follows. */
static int unquote(struct entry *entry, struct entry *rest)
{
	uint32_t from = 0;
	uint32_t to = entry->length;

	while (from < entry->length && entry->text[from] != '"')
		from++;
	while (to > 0 && entry->text[to - 1] != '"')
		to--;
	if (to < from + 2) {
		entry->reason = "a text in quotes is not closed";
		return 0;
	}
	rest->text = entry->text + to;
	rest->length = entry->length - to;
	entry->text += from + 1;
	entry->length = to - from - 2;
	return 1;
}

static void read_pcre(struct entry *entry)
{
	struct entry rest = { NULL, 0, 0, 0, NULL };

	if (!unquote(entry, &rest))
		return;
	if (entry->length && entry->text[0] == '/')
		read_slashes(entry, add_flag);
	else
		entry->reason = "pcre without its slashes";
}

static int has_word(const struct entry *entry, const char *word)
{
	for (uint32_t i = 0; i < entry->length; i++) {
		if (starts_with(entry->text + i, entry->length - i, word))
			return 1;
	}
	return 0;
}

static void read_content(struct entry *entry)
{
	struct entry rest = { NULL, 0, 0, 0, NULL };

	entry->flags |= GM_REGEX_LITERAL;
	if (unquote(entry, &rest) && has_word(&rest, "nocase"))
		entry->flags |= GM_REGEX_CASELESS;
}

static void add_numbered_flag(struct entry *entry, uint8_t letter)
{
	if (letter == 'i' || letter == 's' || letter == 'm')
		add_flag(entry, letter);
	else if (letter && strchr("HVPLQ", letter)) /* how often and where it is told */
		entry->ignored++;
	else
		entry->reason = letter == '8' || letter == 'W'
					? "an expression of UTF-8, not of bytes"
				: letter == 'C' ? "a combination of others"
						: "unknown flag";
}

/* NUMBER:/REGEX/FLAGS{PARAMETERS}; returns 0 where the line is none. */
static int read_numbered(struct entry *entry)
{
	uint32_t at = 0;

	while (at < entry->length && entry->text[at] >= '0' && entry->text[at] <= '9')
		at++;
	if (!at || !starts_with(entry->text + at, entry->length - at, ":/"))
		return 0;
	entry->text += at + 1;
	entry->length -= at + 1;
	read_slashes(entry, add_numbered_flag);
	return 1;
}

static void unwrap(struct entry *entry)
{
	if (starts_with(entry->text, entry->length, "content:")) {
		read_content(entry);
	} else if (starts_with(entry->text, entry->length, "pcre:")) {
		read_pcre(entry);
	} else if (starts_with(entry->text, entry->length, "l7:")) {
		entry->text += 3;
		entry->length -= 3;
		entry->flags |= GM_REGEX_CASELESS;
	} else if (entry->text[0] == '/') {
		read_slashes(entry, add_flag);
	} else {
		read_numbered(entry);
	}
}

static int hex_digit(uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = byte ? strchr(digits, byte >= 'A' && byte <= 'F' ? byte + 32 : byte)
				 : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/* The bytes of a content between two bars, from offset `at`; the offset after the second bar, or 0. */
static uint32_t hex_bytes(const struct entry *entry, uint32_t at, uint8_t *bytes, uint32_t *count)
{
	while (at < entry->length && entry->text[at] != '|') {
		int high = hex_digit(entry->text[at]);

		if (entry->text[at] == ' ') {
			at++;
			continue;
		}
		if (high < 0 || at + 1 >= entry->length || hex_digit(entry->text[at + 1]) < 0)
			return 0;
		bytes[(*count)++] = (uint8_t)(high * 16 + hex_digit(entry->text[at + 1]));
		at += 2;
	}
	return at < entry->length ? at + 1 : 0;
}

/* The bytes of a content, no more than its text has. Returns their number. */
static uint32_t content_bytes(struct entry *entry, uint8_t *bytes)
{
	uint32_t count = 0;

	for (uint32_t at = 0; at < entry->length;) {
		if (entry->text[at] == '|') {
			at = hex_bytes(entry, at + 1, bytes, &count);
			if (!at) {
				entry->reason = "bytes in bars that are not hexadecimal";
				return 0;
			}
			continue;
		}
		at += entry->text[at] == '\\' && at + 1 < entry->length;
		bytes[count++] = entry->text[at++];
	}
	if (!count)
		entry->reason = "an empty content";
	return count;
}

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
static int keep_text(struct gm_patterns *patterns, struct entry *entry, struct gm_pattern *pattern)
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
		pattern->length = content_bytes(entry, kept);
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

static int add_entry(struct gm_patterns *patterns, struct entry *entry, uint32_t line)
{
	struct gm_pattern pattern = { line, 0, entry->flags, 0, 0, entry->ignored };
	struct gm_regex_error error = { NULL, 0 };

	if (!entry->reason && !keep_text(patterns, entry, &pattern))
		return 0;
	if (entry->reason)
		return reject(patterns, line, 0, entry->reason);
	pattern.root = gm_regex_parse(patterns->forest, patterns->text + pattern.text,
				      pattern.length, entry->flags, &error);
	if (pattern.root)
		return accept(patterns, &pattern);
	return error.reason ? reject(patterns, line, error.offset, error.reason) : 0;
}

static void ignore(struct gm_patterns *patterns, struct gm_piece name)
{
	size_t used = strlen(patterns->ignored_names);
	int length = (int)(name.length < 32 ? name.length : 32);
	char word[40];

	if (!name.length)
		return;
	patterns->ignored_options++;
	snprintf(word, sizeof(word), "%.*s", length, (const char *)name.text);
	if (!strstr(patterns->ignored_names, word) && used + 40 < sizeof(patterns->ignored_names))
		snprintf(patterns->ignored_names + used, sizeof(patterns->ignored_names) - used,
			 "%s%s", used ? ", " : "", word);
}

static int is_searched(const struct gm_rule_option *option)
{
	return gm_piece_is(option->name, "content") || gm_piece_is(option->name, "pcre") ||
	       gm_piece_is(option->name, "uricontent");
}

/* What Snort 3 writes behind a content: `, nocase, offset 5`. */
static void read_modifiers(struct gm_patterns *patterns, struct entry *entry,
			   struct gm_piece modifiers)
{
	while (modifiers.length) {
		uint32_t length = 0;
		uint32_t word;

		while (length < modifiers.length && modifiers.text[length] != ',')
			length++;
		for (word = 0; word < length && modifiers.text[word] == ' '; word++)
			;
		if (starts_with(modifiers.text + word, length - word, "nocase"))
			entry->flags |= GM_REGEX_CASELESS;
		else
			ignore(patterns, (struct gm_piece){ modifiers.text + word, length - word });
		length += length < modifiers.length;
		modifiers.text += length;
		modifiers.length -= length;
	}
}

static struct entry entry_of(struct gm_patterns *patterns, const struct gm_rule_option *option)
{
	struct entry entry = { option->value.text, option->value.length, 0, 0, NULL };

	if (gm_piece_is(option->name, "pcre")) {
		if (entry.length && entry.text[0] == '/')
			read_slashes(&entry, add_flag);
		else
			entry.reason = "pcre without its slashes";
		return entry;
	}
	entry.flags = GM_REGEX_LITERAL;
	read_modifiers(patterns, &entry, option->modifiers);
	return entry;
}

/* Each content and pcre of a rule; an option behind one of them may be about it. */
static int add_rule(struct gm_patterns *patterns, struct gm_piece options, uint32_t line)
{
	struct entry entry = { NULL, 0, 0, 0, NULL };
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
			ignore(patterns, option.name);
		}
	}
	if (more < 0)
		return reject(patterns, line, 0, "a text in quotes is not closed");
	if (!is_any)
		return reject(patterns, line, 0,
			      "a rule without content and pcre: nothing to search");
	return add_entry(patterns, &entry, line);
}

static int add_line(struct gm_patterns *patterns, const uint8_t *text, size_t length, uint32_t line)
{
	struct entry entry = { text, 0, 0, 0, NULL };
	struct gm_piece options;

	if (length > GM_PATTERNS_LINE)
		return reject(patterns, line, 0, "too large: a line of more than 1 MiB");
	if (length && text[length - 1] == '\r')
		length--;
	if (!length || text[0] == '#')
		return 1;
	entry.length = (uint32_t)length;
	if (gm_rule_is(text, entry.length, &options))
		return add_rule(patterns, options, line);
	unwrap(&entry);
	return add_entry(patterns, &entry, line);
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

struct gm_patterns *gm_patterns_read(const uint8_t *text, size_t size)
{
	struct gm_patterns *patterns = empty();
	uint32_t line = 1;

	for (size_t at = 0; patterns && at < size;) {
		uint32_t lines;
		size_t length = gm_rule_bytes(text + at, size - at, &lines);

		if (!(lines > 1 ? add_lines : add_line)(patterns, text + at, length, line)) {
			gm_patterns_free(patterns);
			return NULL;
		}
		line += lines;
		at += length + 1;
	}
	return patterns;
}

struct gm_patterns *gm_patterns_subset(const struct gm_patterns *patterns, const uint32_t *ids,
				       uint32_t count)
{
	struct gm_patterns *subset = empty();

	for (uint32_t i = 0; subset && i < count; i++) {
		struct gm_pattern pattern = patterns->patterns[ids[i]];
		struct entry entry = { patterns->text + pattern.text, pattern.length, 0, 0, NULL };
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
