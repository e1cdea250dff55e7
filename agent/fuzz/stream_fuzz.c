// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes in any pieces over the connections of a stream's sink, which end at any time, before
 * their due time or after it: every byte counts once, and the end is an end or a fault with words.
 */
#include "fuzz/fuzz.h"
#include "stream/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define STREAMS 3
#define BLOCK 64
#define DRAIN_NS (400 * NS_PER_MS) /* less than the sink's own bound */

static void open_streams(struct streams *streams, int peer[STREAMS])
{
	streams->epoll = epoll_create1(EPOLL_CLOEXEC);
	streams->block = malloc(BLOCK);
	REQUIRE(streams->epoll >= 0 && streams->block);
	for (unsigned int i = 0; i < STREAMS; i++) {
		struct epoll_event event = { .events = EPOLLIN | EPOLLRDHUP,
					     .data.ptr = &streams->stream[i] };
		int pair[2];

		REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) ==
			0);
		streams->stream[i].fd = pair[0];
		peer[i] = pair[1];
		REQUIRE(epoll_ctl(streams->epoll, EPOLL_CTL_ADD, pair[0], &event) == 0);
	}
	streams->opened = streams->alive = STREAMS;
}

/* Every connection ends in the end, so that the sink does. Returns how many bytes were written. */
static size_t write_all(struct input *input, const int peer[STREAMS])
{
	bool ended[STREAMS] = { false };
	size_t written = 0;

	while (input->left) {
		uint8_t what = input_8(input);
		struct input part = input_part(input, what >> 2);
		unsigned int to = what % 4;

		if (to == STREAMS) {
			to = (what >> 2) % STREAMS;
			ended[to] = shutdown(peer[to], SHUT_WR) == 0;
		} else if (part.left && !ended[to]) {
			ssize_t count = send(peer[to], part.at, part.left, MSG_NOSIGNAL);

			written += count > 0 ? (size_t)count : 0;
		}
	}
	for (unsigned int i = 0; i < STREAMS; i++)
		shutdown(peer[i], SHUT_WR);
	return written;
}

/* It is due, so that all that came is drained; or not yet, so that the first end is a fault. */
static void run_sink(struct stream_sink *sink, size_t written, bool due)
{
	struct fault fault = { 0 };
	uint64_t began_ns = clock_now();
	int error = stream_sink_run(sink, &fault);
	bool stalled = clock_now() - began_ns > DRAIN_NS; /* this process, so draining gave up */
	uint64_t sum = 0;

	for (unsigned int i = 0; i < STREAMS; i++)
		sum += sink->streams.stream[i].bytes;
	REQUIRE(sum == sink->streams.bytes && sum <= written);
	REQUIRE(!error || (*fault.reason && *fault.fix));
	if (due)
		REQUIRE(stalled || (!error && sum == written && !sink->streams.alive));
	else
		REQUIRE(error == -EPIPE);
	REQUIRE(!sink->first_ns == !sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stream_sink sink;
	static struct talk talk;
	struct input input = { data, size };
	bool due = input_8(&input) & 1;
	int peer[STREAMS];
	size_t written;

	memset(&sink, 0, sizeof(sink));
	talk = (struct talk){ .line.fd = -1, .closed = true };
	streams_clear(&sink.streams);
	sink.streams.talk = &talk;
	sink.streams.options = (struct streams_options){ .count = STREAMS,
							 .write_bytes = BLOCK,
							 .stall_ns = UINT64_MAX,
							 .duration_ns = 3600 * NS_PER_S };
	open_streams(&sink.streams, peer);
	REQUIRE(bins_open(&sink.rate, 4, 1000000) == 0);
	written = write_all(&input, peer);
	sink.streams.now_ns = sink.streams.t0_ns = clock_now();
	sink.streams.end_ns = due ? sink.streams.t0_ns : UINT64_MAX;
	/* It looks at stdin, which has ended, when nothing comes any more. */
	sink.streams.look_ns = due ? 0 : UINT64_MAX; /* at stdin, which asks for the end */
	run_sink(&sink, written, due);
	for (unsigned int i = 0; i < STREAMS; i++)
		close(peer[i]);
	bins_close(&sink.rate);
	streams_close(&sink.streams);
	return 0;
}
