// SPDX-License-Identifier: Apache-2.0
/* The set of streams: which is next, and regular work besides moving bytes. */
#include "stream/streams.h"
#include "time/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

void streams_clear(struct streams *streams)
{
	memset(streams, 0, sizeof(*streams));
	streams->listener = -1;
	streams->epoll = -1;
}

void streams_close(struct streams *streams)
{
	for (unsigned int i = 0; i < streams->opened; i++)
		close(streams->stream[i].fd);
	if (streams->listener >= 0)
		close(streams->listener);
	if (streams->epoll >= 0)
		close(streams->epoll);
	free(streams->block);
}

/* Milliseconds for epoll_wait(), rounded up: too short a wait would only come back for more. */
static int wait_ms(const struct streams *streams, uint64_t due_ns)
{
	uint64_t now = clock_now();

	if (streams->look_ns < due_ns)
		due_ns = streams->look_ns;
	return due_ns > now ? (int)((due_ns - now + NS_PER_MS - 1) / NS_PER_MS) : 0;
}

/* Level-triggered: each answer is the whole list of those that are ready. */
static void refresh(struct streams *streams, uint64_t due_ns)
{
	struct epoll_event events[STREAMS_MAX];
	int wait = streams->ready_count ? 0 : wait_ms(streams, due_ns);
	int count = epoll_wait(streams->epoll, events, STREAMS_MAX, wait);

	streams->ready_count = count > 0 ? (unsigned int)count : 0;
	for (unsigned int i = 0; i < streams->ready_count; i++) {
		streams->ready[i] = events[i].data.ptr;
		streams->ready[i]->ended = events[i].events & EPOLLRDHUP;
	}
}

struct stream *streams_next(struct streams *streams, uint64_t due_ns)
{
	if (streams->next == streams->ready_count) {
		if (streams->ready_count < streams->alive || !streams->alive)
			refresh(streams, due_ns);
		streams->next = 0;
	}
	if (!streams->ready_count) {
		streams->now_ns = clock_now();
		return NULL;
	}
	return streams->ready[streams->next++];
}

void streams_rest(struct streams *streams)
{
	streams->ready[--streams->next] = streams->ready[--streams->ready_count];
}

void streams_end(struct streams *streams)
{
	struct stream *stream = streams->ready[streams->next - 1];

	epoll_ctl(streams->epoll, EPOLL_CTL_DEL, stream->fd, NULL);
	stream->ended = true;
	streams->alive--;
	streams_rest(streams);
}

static void tick(struct streams *streams)
{
	struct line *line = &streams->talk->line;

	line_begin(line, "tick");
	line_count(line, "t_ns", streams->now_ns);
	line_count(line, "bytes", streams->bytes);
	line_end(line);
	streams->tick_ns += streams->options.tick_ns;
}

static int stalled(const struct streams *streams, struct fault *fault)
{
	char text[SECONDS_TEXT];

	seconds_text(text, streams->options.stall_ns);
	if (streams->options.source)
		return fault_set(fault, -ETIMEDOUT, NULL,
				 "check whether the peer still reads, and the path to it",
				 "the peer took nothing for %s", text);
	return fault_set(fault, -ETIMEDOUT, NULL,
			 "check whether the source was started, and the path from it",
			 "no byte came for %s", text);
}

int streams_look(struct streams *streams, bool forgiven, struct fault *fault)
{
	if (streams->now_ns < streams->look_ns)
		return 0;
	streams->look_ns = streams->now_ns + STREAMS_LOOK_NS;
	if (streams->bytes != streams->moved_bytes) {
		streams->moved_bytes = streams->bytes;
		streams->moved_ns = streams->now_ns;
	}
	if (streams->now_ns >= streams->tick_ns)
		tick(streams);
	if (talk_over(streams->talk))
		return 1;
	if (streams->now_ns - streams->moved_ns < streams->options.stall_ns || forgiven)
		return 0;
	return stalled(streams, fault);
}

int streams_broken(const struct streams *streams, const struct stream *stream, int error,
		   struct fault *fault)
{
	char after[SECONDS_TEXT], of[SECONDS_TEXT];
	int number = (int)(stream - streams->stream);

	seconds_text(after, streams->now_ns - streams->t0_ns);
	seconds_text(of, streams->options.duration_ns);
	if (!error || error == -ECONNRESET || error == -EPIPE)
		return fault_set(fault, error ? error : -EPIPE, NULL,
				 "see what the peer reports; a gateway that forgets a connection "
				 "resets it too",
				 "the peer closed stream %d after %s of %s", number, after, of);
	return fault_set(fault, error, NULL, "check the path to the peer: routes, links, firewall",
			 "stream %d broke after %s of %s: %s", number, after, of, strerror(-error));
}

const char *seconds_text(char text[SECONDS_TEXT], uint64_t time_ns)
{
	unsigned int hundredths = (unsigned int)(time_ns / (10 * NS_PER_MS) % 100);
	unsigned long long whole = time_ns / NS_PER_S;

	if (!hundredths)
		snprintf(text, SECONDS_TEXT, "%llu s", whole);
	else if (hundredths % 10)
		snprintf(text, SECONDS_TEXT, "%llu.%02u s", whole, hundredths);
	else
		snprintf(text, SECONDS_TEXT, "%llu.%u s", whole, hundredths / 10);
	return text;
}
