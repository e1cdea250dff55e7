// SPDX-License-Identifier: Apache-2.0
/*
 * A set of TCP connections that carry bytes one way, and which of them is next. One thread; sockets
 * do not block; nothing is allocated after streams_open() (open.h). Times are of CLOCK_MONOTONIC.
 */
#ifndef GM_STREAMS_H
#define GM_STREAMS_H

#include "frame/peers.h"
#include "talk/fault.h"
#include "talk/talk.h"
#include "time/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAMS_MAX 256
#define STREAMS_LOOK_NS (10 * NS_PER_MS) /* how often stdin is looked at */
#define STREAMS_OPEN_S 5 /* for all connections together, at either end */

/* Checked by the verb. Texts are borrowed. */
struct streams_options {
	bool source; /* else a sink */
	bool listens; /* else it connects */
	const char *device; /* NULL: any */
	int family;
	uint8_t own[16], peer[16];
	struct peers peers; /* whose connections a listener takes */
	const char *peer_text;
	uint16_t own_port, peer_port;
	unsigned int count;
	size_t write_bytes;
	int buffer_bytes; /* 0: the kernel's */
	const char *congestion;
	uint8_t mark; /* code point of all packets, at this end */
	uint64_t duration_ns, stall_ns, tick_ns;
};

struct stream {
	int fd;
	bool ended; /* by the peer; at a source that is a fault */
	uint32_t left; /* source: of the block that a short write has begun */
	uint16_t peer_port;
	uint64_t bytes;
};

struct streams {
	struct streams_options options;
	struct talk *talk;
	uint32_t scope; /* of link-local addresses: the device's index */
	int listener, epoll; /* -1: not open */
	unsigned int opened; /* the first of stream[] */
	uint64_t strangers; /* connections of other hosts, which were closed at once */
	struct stream stream[STREAMS_MAX];
	uint8_t *block; /* write_bytes of what is sent, or room for what is received */

	/* What was done. */
	uint64_t t0_ns, t1_ns; /* t1 0: going on */
	uint64_t bytes, calls, short_calls;

	/* The streams that are ready, and the next to be handed out. */
	unsigned int alive; /* not ended */
	unsigned int ready_count, next;
	struct stream *ready[STREAMS_MAX];

	/* Where it stands. */
	uint64_t now_ns; /* the clock, when it was looked at last */
	uint64_t end_ns; /* t0 and the duration */
	uint64_t look_ns, tick_ns; /* when to look at stdin and to report next */
	uint64_t moved_ns, moved_bytes; /* when bytes were last seen to have grown */
};

/* Makes streams_close() safe. */
void streams_clear(struct streams *streams);

/* Resets every connection. Also after a failed streams_open(). */
void streams_close(struct streams *streams);

/*
 * The next stream that is ready, round robin. Where none is, waits until one is, or due_ns, or
 * stdin has to be looked at, sets now_ns and returns NULL. A single stream that stays ready costs
 * no system call here.
 */
struct stream *streams_next(struct streams *streams, uint64_t due_ns);

/* The last stream took or gave less than requested: it waits until the kernel reports it ready. */
void streams_rest(struct streams *streams);

/* The peer has ended the stream that was handed out last. */
void streams_end(struct streams *streams);

/*
 * What is due at now_ns besides moving bytes: 0, 1 if stdin wants an end, or -errno: nothing has
 * moved for the stall time (unless forgiven).
 */
int streams_look(struct streams *streams, bool forgiven, struct fault *fault);

/* The fault of a stream that ended before its time; error 0: closed in order. Returns -errno. */
int streams_broken(const struct streams *streams, const struct stream *stream, int error,
		   struct fault *fault);

#define SECONDS_TEXT 32

/* "1.23 s", "10 s": two digits after the point at most, rounded down. */
const char *seconds_text(char text[SECONDS_TEXT], uint64_t time_ns);

#endif
