/* SPDX-License-Identifier: Apache-2.0 */
/* Files of other systems: each line of them would be taken for an expression. */
#include "pattern/foreign.h"

#include "pattern/rule.h"
#include "table/binary.h"

#include <string.h>

#define HOW ": write its texts as content:\"...\" and its expressions as /.../, one a line"

static int is_upper_or_digit(uint8_t byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
}

/* A line that begins and ends so, without blanks around it. */
static const struct {
	const char *begins, *ends, *file;
} marks[] = {
	{ "condition:", "", "a file of YARA rules" HOW },
	{ "signature ", "{", "a file of Zeek signatures" HOW },
	{ "<?xml", ">", "an XML file" HOW },
	{ "%YAML", "", "a YAML file" HOW },
	{ "SecRule ", "", "ModSecurity's configuration" HOW },
	{ "##!", "", "a source of crs-toolchain: take the expression that it generates" },
	{ "# Pattern attributes:", "", "l7-filter's file: write its expression as l7:..." },
	{ "Probe TCP ", "|", "Nmap's service probes" HOW },
	{ "\\= Expect no match", "", "a test of PCRE2, with its subjects" HOW },
	{ "[Adblock", "]", "a filter list of ad blockers" HOW },
};

/* `NAME expression` of Logstash's grok, with other names in it: `%{NUMBER:bytes}`. */
static int is_grok(struct gm_piece line)
{
	uint32_t at = 0;

	while (at < line.length && (line.text[at] == '_' || is_upper_or_digit(line.text[at])))
		at++;
	if (!at || at == line.length || line.text[at] != ' ')
		return 0;
	for (; at + 2 < line.length; at++) {
		if (line.text[at] == '%' && line.text[at + 1] == '{' &&
		    is_upper_or_digit(line.text[at + 2]))
			return 1;
	}
	return 0;
}

static int is_name(uint8_t byte)
{
	return is_upper_or_digit(byte) || (byte >= 'a' && byte <= 'z') || byte == '_';
}

/* How many letters of a name the line has from `at` on. */
static uint32_t name_at(struct gm_piece line, uint32_t at)
{
	uint32_t end = at;

	while (end < line.length && is_name(line.text[end]))
		end++;
	return end - at;
}

/* `[name]` or `[[name]]` alone. */
static int is_section(struct gm_piece line)
{
	uint32_t opened = line.length > 1 && line.text[1] == '[' ? 2 : 1;
	uint32_t name = line.length ? name_at(line, opened) : 0;

	return name && line.text[0] == '[' && line.length == name + 2 * opened &&
	       line.text[line.length - 1] == ']' && line.text[line.length - opened] == ']';
}

/* `name = value`. */
static int is_setting(struct gm_piece line)
{
	uint32_t at = name_at(line, 0), name = at;

	while (at < line.length && line.text[at] == ' ')
		at++;
	return name && at < line.length && line.text[at] == '=';
}

/* A line that says a key of what is below it, `name:`, or the first of an entry, `- name: value`. */
static int is_key(struct gm_piece line, int is_entry)
{
	uint32_t begin = is_entry ? 2 : 0, name = name_at(line, begin), end = begin + name;

	if (!name || line.length <= end || line.text[end] != ':')
		return 0;
	if (!is_entry)
		return line.length == end + 1;
	return line.text[0] == '-' && line.text[1] == ' ' &&
	       (line.length == end + 1 || line.text[end + 1] == ' ');
}

/* `body NAME /expression/` and what else SpamAssassin has of a test. */
static int is_mail_test(struct gm_piece line)
{
	static const char *const kinds[] = { "body",	 "rawbody", "header", "uri",   "full",
					     "describe", "meta",    "score",  "reuse", NULL };
	uint32_t kind = name_at(line, 0), at = kind + 1, name;

	for (size_t i = 0; kinds[i]; i++) {
		if (!gm_piece_is((struct gm_piece){ line.text, kind }, kinds[i]))
			continue;
		while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t'))
			at++;
		for (name = at; name < line.length &&
				(line.text[name] == '_' || is_upper_or_digit(line.text[name]));)
			name++;
		return name > at + 3 && name < line.length && line.text[name] <= ' ';
	}
	return 0;
}

static int has_word(struct gm_piece line, const char *word)
{
	size_t length = strlen(word);

	for (uint32_t at = 0; at + length <= line.length; at++) {
		if (memcmp(line.text + at, word, length) == 0)
			return 1;
	}
	return 0;
}

/* ClamAV's `Name:1:*:HEXADECIMAL` and `Name;Engine:81-255,Target:1;0&1;HEXADECIMAL`. */
static int is_of_clamav(struct gm_piece line)
{
	const uint8_t *colon = line.length ? memchr(line.text, ':', line.length) : NULL;
	uint32_t at = colon ? (uint32_t)(colon - line.text) + 1 : 0, digits = at;

	if (has_word(line, ",Target:") && has_word(line, ";"))
		return 1;
	while (digits < line.length && line.text[digits] >= '0' && line.text[digits] <= '9')
		digits++;
	return at && digits > at && digits + 3 < line.length && line.text[digits] == ':' &&
	       line.text[digits + 1] == '*' && line.text[digits + 2] == ':';
}

static int ends_with(struct gm_piece line, const char *word)
{
	size_t length = strlen(word);

	return line.length >= length && memcmp(line.text + line.length - length, word, length) == 0;
}

static const char *of_line(struct gm_piece line)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t length = strlen(marks[i].begins);

		if (line.length >= length && memcmp(line.text, marks[i].begins, length) == 0 &&
		    ends_with(line, marks[i].ends))
			return marks[i].file;
	}
	if (is_mail_test(line))
		return "a file of SpamAssassin's tests" HOW;
	if (is_of_clamav(line))
		return "a file of ClamAV's signatures" HOW;
	return is_grok(line) ? "patterns of Logstash's grok: put in what their names stand for"
			     : NULL;
}

/* What two lines, one below the other, tell of their file. */
static const char *of_pair(struct gm_piece above, struct gm_piece line, int is_indented)
{
	if (is_section(above) && is_setting(line))
		return "a file of settings, as TOML or INI" HOW;
	if ((is_key(above, 0) && (is_indented || is_key(line, 1))) || is_key(above, 1))
		return "a YAML file" HOW;
	return NULL;
}

const char *gm_foreign(const uint8_t *text, size_t size)
{
	const char *file = gm_binary_json(text, size) ? "JSON" HOW : NULL;
	const char *pair = NULL; /* a line of another system says more, and may come later */
	struct gm_piece above = { text, 0 };

	for (size_t at = 0; at < size && !file;) {
		const uint8_t *begin = text + at, *newline = memchr(begin, '\n', size - at);
		size_t length = newline ? (size_t)(newline - begin) : size - at;
		struct gm_piece line = { begin, length > UINT32_MAX ? 0 : (uint32_t)length };

		line.length -= line.length && line.text[line.length - 1] == '\r';
		line = gm_piece_trimmed(line);
		file = of_line(line);
		at += length + 1;
		if (!line.length || *line.text == '#')
			continue;
		if (!pair)
			pair = of_pair(above, line, line.text != begin);
		above = line;
	}
	return file ? file : pair;
}
