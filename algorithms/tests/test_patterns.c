/* SPDX-License-Identifier: Apache-2.0 */
/* Files of patterns as people have them: what is searched, what is left out and why. */
#include "gm/patterns.h"
#include "pattern/regex.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

/* A text; its patterns as TEXT/flags; the reasons of its rejected lines; ignored options. */
static const struct {
	const char *text, *patterns, *rejected, *ignored;
} forms[] = {
	{ "1:/foo.*bar/is\n22:/a[/]b/HV\n", "foo.*bar/35 a[/]b/32 ", "", "" },
	{ "7:/foo/8\n8:/(1 & 2)/C\n9:/foo/i{min_offset=3}\n", "foo/33 ",
	  "1:an expression of UTF-8, not of bytes 2:a combination of others ", "" },
	{ "12: foo\n", "12: foo/0 ", "", "" },
	{ "alert udp any any -> any any (msg:\"x; y\"; content:\"foo\"; nocase; sid:1;)\n",
	  "foo/65 ", "", "" },
	{ "alert tcp $HOME_NET any -> any 80 (content:\"a\\;b|41 3b|\"; offset:3; depth:9; "
	  "content:\"c\"; nocase; distance:0; pcre:\"/d.e/iR\"; content:!\"f\"; sid:2; rev:1;)\r\n",
	  "a;bA;/64 c/65 d.e/33 ", "", "offset, depth, distance, content" },
	{ "drop tcp any any -> any any (content:\"foo\", nocase, offset 5; sid:3;)\n", "foo/65 ",
	  "", "offset 5" },
	{ "alert ip any any -> any any (msg:\"x\"; flags:S; sid:4;)\nabc\n", "abc/0 ",
	  "1:a rule without content and pcre: nothing to search ", "flags" },
	{ "alert ip any any -> any any (content:\"x; sid:4;)\nabc\n", "abc/0 ",
	  "1:a text in quotes is not closed ", "" },
	{ "alert ip any any -> any any (content:\"|4|\"; sid:4;)\nalert (all)\n# alert\n", "",
	  "1:bytes in bars that are not hexadecimal 2:a rule without content and pcre: "
	  "nothing to search ",
	  "all" },
	/* As public reports have them (docs/measured.md). */
	{ "alert tcp any any -> any any ( \\\n  msg:\"x\"; \\\r\n  content:\"abc\"; \\\n)\nd\n",
	  "abc/64 d/0 ", "", "" },
	{ "alert http (\n    msg:\"x\";\n    content:\"GET\",fast_pattern,nocase;\n    "
	  "sid:1;\n)\nd\n",
	  "GET/65 d/0 ", "", "fast_pattern" },
	{ "file_id ( msg:\"x\"; file_data; content:\"|25 50|\",depth 5; sid:2; )\n", "%P/64 ", "",
	  "file_data, depth 5" },
	{ "# alert \\\nalert tcp any any -> any any (content:\"a\";\n", "",
	  "2:a group is not closed ", "" },
	{ "alert ip any any -> any any (content:\"a\";\nalert ip any any -> any any "
	  "(content:\"b\";)\n",
	  "b/64 ", "1:a group is not closed ", "" },
	{ "pass (a|b)c\n(d)\n", "pass (a|b)c/0 (d)/0 ", "", "" },
	{ "a(?=b)\nabc\n", "abc/0 ", "1:look-around ", "" },
};

static void describe(const struct gm_patterns *patterns, char *searched, char *rejected)
{
	searched[0] = rejected[0] = 0;
	for (uint32_t i = 0; i < patterns->count; i++) {
		const struct gm_pattern *pattern = &patterns->patterns[i];

		sprintf(searched + strlen(searched), "%.*s/%u ", (int)pattern->length,
			(const char *)patterns->text + pattern->text, (unsigned)pattern->flags);
	}
	for (uint32_t i = 0; i < patterns->rejected_count; i++)
		sprintf(rejected + strlen(rejected), "%u:%s ", (unsigned)patterns->rejected[i].line,
			patterns->rejected[i].reason);
}

static void forms_of_patterns_are_read(void)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct gm_patterns *patterns =
			gm_patterns_read((const uint8_t *)forms[i].text, strlen(forms[i].text));
		char searched[512];
		char rejected[512];

		CHECK(patterns != NULL);
		if (!patterns)
			return;
		describe(patterns, searched, rejected);
		CHECK(strcmp(searched, forms[i].patterns) == 0);
		CHECK(strcmp(rejected, forms[i].rejected) == 0);
		CHECK(strcmp(patterns->ignored_names, forms[i].ignored) == 0);
		CHECK((patterns->ignored_options > 0) == (forms[i].ignored[0] != 0));
		gm_patterns_free(patterns);
	}
}

static const struct test tests[] = {
	{ "patterns are read as people have them", forms_of_patterns_are_read },
};

TESTS_MAIN(tests)
