// SPDX-License-Identifier: Apache-2.0
#include "talk/line.h"
#include "tests/test.h"

#include <stdlib.h>
#include <unistd.h>

TEST(line_writes_json)
{
	struct line line = { 0 };
	char text[256] = "";
	int pipes[2];

	CHECK_EQUAL(pipe(pipes), 0);
	line.fd = pipes[1];
	line_begin(&line, "done");
	line_text(&line, "t", "a\"\\\n");
	line_integer(&line, "i", INT64_MIN);
	line_count(&line, "c", UINT64_MAX);
	line_list(&line, "l");
	line_count(&line, NULL, 0);
	line_integer(&line, NULL, -1);
	line_close(&line, ']');
	line_object(&line, "o");
	line_list(&line, "e");
	line_close(&line, ']');
	line_close(&line, '}');
	line_count(&line, "z", 1);
	line_end(&line);
	CHECK(read(pipes[0], text, sizeof(text) - 1) > 0);
	CHECK_TEXT(text, "{\"ev\":\"done\",\"t\":\"a\\\"\\\\\\u000a\",\"i\":-9223372036854775808,"
			 "\"c\":18446744073709551615,\"l\":[0,-1],\"o\":{\"e\":[]},\"z\":1}\n");
	close(pipes[0]);
	close(pipes[1]);
}

TEST(line_keeps_first_error)
{
	struct line line = { .fd = -1 };

	line_begin(&line, "done");
	line_end(&line);
	CHECK(line.error < 0);
}

TEST(line_longer_than_its_buffer)
{
	struct line line = { 0 };
	char *text = calloc(1, 65536);
	size_t used = 0;
	ssize_t count;
	int pipes[2];

	CHECK_EQUAL(pipe(pipes), 0);
	line.fd = pipes[1];
	line_begin(&line, "done");
	line_list(&line, "l");
	for (int i = 0; i < 5000; i++)
		line_count(&line, NULL, 12345);
	line_close(&line, ']');
	line_end(&line);
	close(pipes[1]);
	while ((count = read(pipes[0], text + used, 65535 - used)) > 0)
		used += (size_t)count;
	CHECK_EQUAL(used, strlen("{\"ev\":\"done\",\"l\":[]}\n") + 5000 * 6 - 1);
	CHECK_TEXT(text + used - 8, "12345]}\n");
	close(pipes[0]);
	free(text);
}

/* RFC 4648, section 10: "foobar", filled up to a word with zeros. */
TEST(line_words_are_base64)
{
	const uint64_t words[] = { 0x7261626f6f66ull, UINT64_MAX };
	struct line line = { 0 };
	char text[256] = "";
	int pipes[2];

	CHECK_EQUAL(pipe(pipes), 0);
	line.fd = pipes[1];
	line_begin(&line, "done");
	line_words(&line, "none", words, 0);
	line_words(&line, "one", words, 1);
	line_words(&line, "two", words, 2);
	line_end(&line);
	CHECK(read(pipes[0], text, sizeof(text) - 1) > 0);
	CHECK_TEXT(text, "{\"ev\":\"done\",\"none\":\"\",\"one\":\"Zm9vYmFyAAA=\",\"two\":"
			 "\"Zm9vYmFyAAD//////////w==\"}\n");
	close(pipes[0]);
	close(pipes[1]);
}
