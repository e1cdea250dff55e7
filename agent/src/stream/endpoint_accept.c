// SPDX-License-Identifier: Apache-2.0
/* The end that listens. */
#include "stream/endpoint.h"
#include "time/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int endpoint_listen(struct streams *streams, struct fault *fault)
{
	const struct streams_options *options = &streams->options;
	int fd = endpoint_open(streams, options->own_port, fault);

	if (fd < 0)
		return fd;
	streams->listener = fd;
	if (listen(fd, (int)options->count) == 0)
		return 0;
	if (errno == EADDRINUSE) /* two sockets may be bound with REUSEADDR, not both listen */
		return fault_set(fault, -EADDRINUSE, "src_port",
				 "choose another port, or end the program that uses it (ss -tanp)",
				 "port %u is in use on this host", options->own_port);
	return fault_system(fault, -errno, "src_port", "listening");
}

/* Accepts waiting connections, except strangers' and those that have ended again. 0 or -errno. */
static int accept_waiting(struct streams *streams, struct fault *fault)
{
	struct linger reset = { .l_onoff = 1 };

	while (streams->opened < streams->options.count) {
		struct stream *stream = &streams->stream[streams->opened];
		struct sockaddr_storage peer;
		socklen_t length = sizeof(peer);
		int fd = accept4(streams->listener, (struct sockaddr *)&peer, &length,
				 SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED))
			return 0;
		if (fd < 0)
			return fault_system(fault, -errno, NULL, "accepting a connection");
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		if (!peers_have(&streams->options.peers, &peer)) {
			close(fd);
			streams->strangers++;
			continue;
		}
		stream->fd = fd;
		stream->peer_port = address_port(&peer);
		streams->opened++;
	}
	return 0;
}

/* Until start comes; it may have been read together with the request. */
static int accept_until_start(struct streams *streams, struct fault *fault)
{
	struct pollfd wait[] = {
		talk_input(streams->talk),
		{ .fd = streams->listener, .events = POLLIN },
	};

	while (!streams->talk->used && !talk_over(streams->talk)) {
		int error;

		/* With all streams here, further connections would wake us forever. */
		poll(wait, streams->opened < streams->options.count ? 2 : 1, -1);
		error = accept_waiting(streams, fault);
		if (error)
			return error;
	}
	return talk_await_start(streams->talk, fault);
}

static int accept_rest(struct streams *streams, struct fault *fault)
{
	uint64_t until = clock_now() + STREAMS_OPEN_S * NS_PER_S;
	struct pollfd wait[] = {
		{ .fd = streams->listener, .events = POLLIN },
		talk_input(streams->talk),
	};

	for (;;) {
		int error = accept_waiting(streams, fault);
		uint64_t now = clock_now();

		if (error || streams->opened == streams->options.count)
			return error;
		if (talk_over(streams->talk))
			return fault_set(fault, -ECANCELED, NULL, "wait for the start event",
					 "stdin was closed before every stream was open");
		if (now >= until)
			return fault_set(fault, -ETIMEDOUT, "streams",
					 "let the connector become ready before sending start here",
					 "%u of %u streams were opened to port %u within %d s; "
					 "%llu connections of other hosts were closed",
					 streams->opened, streams->options.count,
					 streams->options.own_port, STREAMS_OPEN_S,
					 (unsigned long long)streams->strangers);
		poll(wait, 2, (int)((until - now) / NS_PER_MS) + 1);
	}
}

static int compare(const void *a, const void *b)
{
	const struct stream *first = a;
	const struct stream *second = b;

	return (int)first->peer_port - (int)second->peer_port;
}

int endpoint_accept(struct streams *streams, struct fault *fault)
{
	int error = accept_until_start(streams, fault);

	if (!error)
		error = accept_rest(streams, fault);
	if (error)
		return error;
	qsort(streams->stream, streams->opened, sizeof(streams->stream[0]), compare);
	close(streams->listener); /* later connections are refused */
	streams->listener = -1;
	return 0;
}
