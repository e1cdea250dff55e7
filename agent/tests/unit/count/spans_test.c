// SPDX-License-Identifier: Apache-2.0
#include "count/spans.h"
#include "tests/test.h"

#include <string.h>

TEST(spans_are_told_in_their_order)
{
	static struct spans spans;
	struct line line = { .fd = -1 };

	spans_add(&spans, 100, 5);
	spans_add(&spans, 300, 7);
	spans_report(&spans, &line);
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"t_ns\":[100,300],\"ns\":[5,7],\"count\":2,\"total_ns\":12");
}

TEST(spans_beyond_the_kept_are_counted)
{
	static struct spans spans;
	struct line line = { .fd = -1 };
	int times = 0;

	for (uint64_t i = 0; i < SPANS_KEPT + 3; i++)
		spans_add(&spans, 10 * i, 2);
	spans_report(&spans, &line);
	line.buffer[line.used] = '\0';
	for (const char *at = line.buffer; (at = strchr(at, ',')); at++)
		times++;
	CHECK_EQUAL(times, 2 * SPANS_KEPT + 1); /* two lists, and what follows them */
	CHECK(strstr(line.buffer, "2550],\"ns\""));
	CHECK(strstr(line.buffer, "\"count\":259,\"total_ns\":518"));
}
