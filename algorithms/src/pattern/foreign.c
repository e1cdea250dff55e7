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
	return is_grok(line) ? "patterns of Logstash's grok: put in what their names stand for"
			     : NULL;
}

const char *gm_foreign(const uint8_t *text, size_t size)
{
	const char *file = gm_binary_json(text, size) ? "JSON" HOW : NULL;

	for (size_t at = 0; at < size && !file;) {
		const uint8_t *newline = memchr(text + at, '\n', size - at);
		size_t length = newline ? (size_t)(newline - text) - at : size - at;
		struct gm_piece line = { text + at, length > UINT32_MAX ? 0 : (uint32_t)length };

		line.length -= line.length && line.text[line.length - 1] == '\r';
		file = of_line(gm_piece_trimmed(line));
		at += length + 1;
	}
	return file;
}
