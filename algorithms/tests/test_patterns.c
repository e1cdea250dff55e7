/* SPDX-License-Identifier: Apache-2.0 */
/* Files of patterns as people have them: what is searched, what is left out and why. */
#include "gm/patterns.h"
#include "pattern/regex.h"
#include "tests/accounted.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

/* A text; its patterns as TEXT/flags; the reasons of its rejected lines; ignored options. */
static const struct {
	const char *text, *patterns, *rejected, *ignored;
} forms[] = {
	{ "1:/foo.*bar/is\n22:/a[/]b/HV\n", "foo.*bar/35 a[/]b/32 ", "", "" },
	{ "7:/foo/8\n8:/(1 & 2)/C\n9:/foo/i{min_offset=3}\n", "foo/33 ",
	  "1:an expression of UTF-8, not of bytes 2:a combination of others ", "/parameters" },
	{ "12: foo\n", "12: foo/0 ", "", "" },
	{ "3:/foo/imO\n", "foo/37 ", "", "" },
	{ "alert udp any any -> any any (msg:\"x; y\"; content:\"foo\"; nocase; sid:1;)\n",
	  "foo/65 ", "", "" },
	{ "alert tcp $HOME_NET any -> any 80 (content:\"a\\;b|41 3b|\"; offset:3; depth:9; "
	  "content:\"c\"; nocase; distance:0; pcre:\"/d.e/iR\"; content:!\"f\"; sid:2; rev:1;)\r\n",
	  "a;bA;/64 c/65 d.e/33 ", "", "offset, depth, distance, !content, /R" },
	{ "drop tcp any any -> any any (content:\"foo\", nocase, offset 5; sid:3;)\n", "foo/65 ",
	  "", "offset" },
	{ "alert ip any any -> any any (msg:\"x\"; flags:S; sid:4;)\n", "",
	  "1:a rule without content and pcre: nothing to search ", "flags" },
	{ "alert ip any any -> any any (content:\"x; sid:4;)\n", "",
	  "1:a text in quotes is not closed ", "" },
	{ "alert ip any any -> any any (content:\"|4|\"; sid:4;)\n# alert\n", "",
	  "1:bytes in bars that are not hexadecimal ", "" },
	/* As public reports have them (docs/measured.md). */
	{ "alert tcp any any -> any any ( \\\n  msg:\"x\"; \\\r\n  content:\"abc\"; \\\n)\n",
	  "abc/64 ", "", "" },
	{ "alert tcp any any -> any any \\\n  (content:\"abc\"; sid:1;)\n", "abc/64 ", "", "" },
	{ "alert http (\n    msg:\"x\";\n    content:\"GET\",fast_pattern,nocase;\n    "
	  "sid:1;\n)\n",
	  "GET/65 ", "", "fast_pattern" },
	{ "alert tcp any any -> any any\n(\n    content:\"a\",\n    depth 5;\n    "
	  "regex:\"/b+/i\";\n)\n",
	  "a/64 b+/33 ", "", "depth" },
	{ "file_id ( msg:\"x\"; file_data; content:\"|25 50|\",depth 5; sid:2; )\n", "%P/64 ", "",
	  "file_data, depth" },
	{ "alert file (\n    # \"x\n    content:\"a\", within 8;\n\n    # b:\n    sid:1;\n)\n",
	  "a/64 ", "", "within" },
	/* Quotes that do not pair in a text that is not searched, and a backslash that is one. */
	{ "alert ip any any -> any any (metadata: a \"b, c \"d\"; content:\"e\"; sid:1;)\n",
	  "e/64 ", "", "" },
	{ "alert ip any any -> any any (content:\"C:\\a\\\"; content:\"b\\;\\\\\"; sid:1;)\n",
	  "C:\\a\\/64 b;\\/64 ", "", "" },
	{ "# alert \\\nalert tcp any any -> any any (content:\"a\";\n", "",
	  "2:a rule that no parenthesis closes ", "" },
	{ "alert ip any any -> any any (content:\"a\";\nalert ip any any -> any any "
	  "(content:\"b\";)\n",
	  "b/64 ", "1:a rule that no parenthesis closes ", "" },
	/* What is near a rule is one, and what is near a form of the file is none of its lines. */
	{ "alert ip any any -> any any (content:\"a\"; sid:1;) # off\n", "a/64 ", "", "" },
	{ "alert ip any any -> any any content:\"a\"; sid:1;\n", "",
	  "1:a rule that no parenthesis closes ", "" },
	{ "var NET any\nalert ip any any -> any any (content:\"a\";)\n", "a/64 ",
	  "1:no rule, in a file of rules ", "" },
	{ "1:/a/\nb c\n  # d\n", "a/32 ", "2:no NUMBER:/EXPRESSION/FLAGS, in a file of these ",
	  "" },
	{ "content:\"a\"; content:!\"b\"; offset:3; content:\"c\";\n", "a/64 c/64 ", "",
	  "!content, offset" },
	{ "accept:hook tls:all any any -> any any (content:\"a\"; pcre:/b/W; pcre:\"/(c)/, "
	  "flow:d\";)\n",
	  "a/64 b/32 (c)/32 ", "", "/W, /parameters" },
	{ "content:a\n", "", "1:a text without its quotes ", "" },
	{ "drop (table|view)\nalert (all)\n", "drop (table|view)/0 alert (all)/0 ", "", "" },
	{ "[abc]\na:\nbody of a\n", "[abc]/0 a:/0 body of a/0 ", "", "" },
	{ "\xef\xbb\xbf"
	  "abc\n",
	  "abc/0 ", "", "" },
	{ "pass (a|b)c\n(d)\n", "pass (a|b)c/0 (d)/0 ", "", "" },
	{ "costs $5\n(a|b$)c\na$|b\n", "(a|b$)c/0 a$|b/0 ", "1:never matches: a byte behind a $ ",
	  "" },
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
		CHECK(line_left_out(patterns, (const uint8_t *)forms[i].text,
				    strlen(forms[i].text)) == 0);
		gm_patterns_free(patterns);
	}
}

/* A set that is searched in part says of each line that is not, and counts its bytes. */
static void a_set_is_searched_as_much_as_it_says(void)
{
	static const char text[] = "\n# a\nbc\n(d\n  \n/ef/i\n/g/Z\ncontent:\"hi|00|\"; nocase\n"
				   "l7:jk\n(?=l)m\n";
	struct gm_patterns *patterns = gm_patterns_read((const uint8_t *)text, sizeof(text) - 1);

	CHECK(patterns && patterns->count == 4 && patterns->rejected_count == 3);
	CHECK(patterns && patterns->text_count == 2 + 2 + 3 + 2);
	CHECK(patterns && !line_left_out(patterns, (const uint8_t *)text, sizeof(text) - 1));
	gm_patterns_free(patterns);
}

static void lines_are_texts_where_that_is_asked(void)
{
	static const char text[] = "C++\r\n# a.b\n\n[x\n";
	struct gm_patterns *patterns =
		gm_patterns_read_as(GM_FORM_LITERALS, (const uint8_t *)text, sizeof(text) - 1);
	char searched[512];
	char rejected[512];

	CHECK(patterns != NULL);
	if (!patterns)
		return;
	describe(patterns, searched, rejected);
	CHECK(strcmp(searched, "C++/64 # a.b/64 [x/64 ") == 0 && !*rejected);
	CHECK(patterns->plain == 0);
	gm_patterns_free(patterns);
}

/* How many bytes a class has, and one that makes it PCRE's. */
static void classes_are_those_of_pcre(void)
{
	static const struct {
		const char *text;
		unsigned bytes;
		uint8_t inside;
	} classes[] = {
		{ "\\h", 3, 0xa0 },	     { "\\H", 253, '\n' },
		{ "\\v", 5, 0x85 },	     { "[\\V]", 251, '\t' },
		{ "[[:ascii:]]", 128, 0 },   { "[[:^ascii:]]", 128, 0x80 },
		{ "[[:cntrl:]]", 33, 0x7f }, { "[[:^cntrl:]]", 223, ' ' },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		struct gm_patterns *patterns =
			gm_patterns_read((const uint8_t *)classes[i].text, strlen(classes[i].text));
		const struct gm_byteset *set;

		CHECK(patterns && patterns->count == 1 && patterns->forest->set_count == 1);
		if (patterns && patterns->count == 1) {
			set = &patterns->forest->sets[0];
			CHECK(gm_byteset_count(set) == classes[i].bytes);
			CHECK(gm_byteset_has(set, classes[i].inside));
		}
		gm_patterns_free(patterns);
	}
}

/* An expression, a text that it finds, one that it does not; or why it is refused. */
static void boundaries_of_words_are_found(void)
{
	static const struct {
		const char *expression, *found, *not_found;
	} cases[] = {
		{ "\\bfoo\\b", "a foo.", "a foo1" },
		{ "\\bfoo\\b", "foo", "_foo" },
		{ "\\b(a|b)c|-\\b", "x bc", "xbc-" },
		{ "foo\\b-\\bbar", "foo-bar", "foo-.bar" },
		{ "\\bx\\B", "xy", "x y" },
		{ "\\Bx", "yx", "x" },
		{ "^\\bx", "x", " x" },
		{ "x\\b$", "x", "xy" },
		{ "(\\bfoo)?bar", "xfoobar", "xfooba" },
		{ "(a\\b-)+b", "a-a-b", "a-a-" },
		{ "a\\bb|c", "c", "ab" },
		{ "a$b|c", "c", "ab" },
	};
	static const char *const refused[][2] = {
		{ "a\\bb", "never matches" },
		{ "a\\b.", "word boundary" },
		{ "\\b", "word boundary" },
		{ "(\\ba )+", "word boundary" },
	};
	struct gm_regex_error error;
	struct gm_forest forest;
	uint32_t root;

	gm_forest_init(&forest);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *texts[] = { cases[i].not_found, cases[i].found };

		root = gm_regex_parse(&forest, (const uint8_t *)cases[i].expression,
				      strlen(cases[i].expression), 0, &error);
		for (int found = 0; root && found < 2; found++)
			CHECK(gm_regex_matches(&forest, root, (const uint8_t *)texts[found],
					       (unsigned)strlen(texts[found])) == found);
		CHECK(root);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		root = gm_regex_parse(&forest, (const uint8_t *)refused[i][0],
				      strlen(refused[i][0]), 0, &error);
		CHECK(!root && strstr(error.reason, refused[i][1]));
	}
	gm_forest_free(&forest);
}

static void files_of_other_systems_are_named(void)
{
	static const char *const files[][2] = {
		{ "rule a {\n  strings:\n    $a = \"b\"\n  condition:\n    $a\n}\n", "YARA" },
		{ "signature a {\n  payload /b/\n}\n", "Zeek" },
		{ "{\"a\": 1}\n", "JSON" },
		{ "SecRule ARGS \"@rx a\" \"id:1\"\n", "ModSecurity" },
		{ "##!+ i\nab\n", "crs-toolchain" },
		{ "# x\n# Pattern attributes: good fast\nx\n^x\n", "l7-filter" },
		{ "A [a-z]+\nB_C %{A}=%{A:b}\n", "grok" },
		{ "[[rules]]\n# a\nid = \"a\"\n", "TOML or INI" },
		{ "regexes:\n  - regex: 'a'\n", "YAML" },
		{ "- id: a\n  regex: b\n", "YAML" },
		{ "body __A_B  /c/i\n", "SpamAssassin" },
		{ "Win.A-1:1:*:4d5a90\n", "ClamAV" },
		{ "A;Engine:81-255,Target:1;0;4d5a\n", "ClamAV" },
		{ "\x1f\x8b\x08", "gzip" },
		{ "\xff\xfe"
		  "a",
		  "UTF-16" },
		{ "<!DOCTYPE html>\n<p>\n", "web page" },
		{ "version https://git-lfs.github.com/spec/v1\n", "Git LFS" },
		{ "a\rb\r", "CR alone" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct gm_patterns *patterns =
			gm_patterns_read((const uint8_t *)files[i][0], strlen(files[i][0]));

		CHECK(patterns && patterns->count == 0 && patterns->reason);
		CHECK(patterns && patterns->reason && strstr(patterns->reason, files[i][1]));
		gm_patterns_free(patterns);
	}
}

static void a_file_that_is_no_text_is_no_set(void)
{
	static const uint8_t bytes[] = "ab\n\0cd\n";
	struct gm_patterns *patterns = gm_patterns_read(bytes, sizeof(bytes));

	CHECK(patterns && patterns->reason && strstr(patterns->reason, "zeros"));
	gm_patterns_free(patterns);
}

static const struct test tests[] = {
	{ "patterns are read as people have them", forms_of_patterns_are_read },
	{ "a set is searched as much as it says", a_set_is_searched_as_much_as_it_says },
	{ "lines are texts where that is asked", lines_are_texts_where_that_is_asked },
	{ "classes are those of PCRE", classes_are_those_of_pcre },
	{ "boundaries of words are found", boundaries_of_words_are_found },
	{ "files of other systems are named", files_of_other_systems_are_named },
	{ "a file that is no text is no set", a_file_that_is_no_text_is_no_set },
};

TESTS_MAIN(tests)
