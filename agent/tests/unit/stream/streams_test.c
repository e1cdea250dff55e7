// SPDX-License-Identifier: Apache-2.0
#include "stream/streams.h"
#include "tests/test.h"
#include "time/clock.h"

#include <errno.h>

TEST(seconds_have_two_digits_at_most)
{
	char text[SECONDS_TEXT];

	CHECK_TEXT(seconds_text(text, 0), "0 s");
	CHECK_TEXT(seconds_text(text, 9 * NS_PER_MS), "0 s");
	CHECK_TEXT(seconds_text(text, 50 * NS_PER_MS), "0.05 s");
	CHECK_TEXT(seconds_text(text, 500 * NS_PER_MS), "0.5 s");
	CHECK_TEXT(seconds_text(text, 1239 * NS_PER_MS), "1.23 s");
	CHECK_TEXT(seconds_text(text, 3600 * NS_PER_S), "3600 s");
	CHECK_TEXT(seconds_text(text, UINT64_MAX), "18446744073.7 s");
}

/* Round robin; a stream that rests is left out, and no other is passed over. */
TEST(streams_take_turns)
{
	static struct streams streams;
	int turns[4] = { 0 };

	streams_clear(&streams);
	streams.alive = streams.ready_count = 4;
	for (int i = 0; i < 4; i++)
		streams.ready[i] = &streams.stream[i];
	for (int i = 0; i < 8; i++)
		turns[streams_next(&streams, 0) - streams.stream]++;
	for (int i = 0; i < 4; i++)
		CHECK_EQUAL(turns[i], 2);
	CHECK_EQUAL(streams_next(&streams, 0) - streams.stream, 0);
	CHECK_EQUAL(streams_next(&streams, 0) - streams.stream, 1);
	streams_rest(&streams);
	CHECK_EQUAL(streams.ready_count, 3);
	for (int i = 0; i < 2; i++)
		turns[streams_next(&streams, 0) - streams.stream]++;
	CHECK_EQUAL(turns[2], 3);
	CHECK_EQUAL(turns[3], 3);
	CHECK_EQUAL(streams.next, streams.ready_count);
}

TEST(streams_say_who_broke_and_when)
{
	static struct streams streams;
	struct fault fault;

	streams.options.duration_ns = 10 * NS_PER_S;
	streams.t0_ns = 5;
	streams.now_ns = 5 + 1230 * NS_PER_MS;
	CHECK_EQUAL(streams_broken(&streams, &streams.stream[2], -ECONNRESET, &fault), -ECONNRESET);
	CHECK_TEXT(fault.reason, "the peer closed stream 2 after 1.23 s of 10 s");
	CHECK_EQUAL(streams_broken(&streams, &streams.stream[0], 0, &fault), -EPIPE);
	CHECK_TEXT(fault.reason, "the peer closed stream 0 after 1.23 s of 10 s");
	CHECK_EQUAL(streams_broken(&streams, &streams.stream[1], -ETIMEDOUT, &fault), -ETIMEDOUT);
	CHECK(strstr(fault.reason, "stream 1 broke after 1.23 s of 10 s: "));
}
