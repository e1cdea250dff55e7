// SPDX-License-Identifier: Apache-2.0
/* The end that connects. */
#include "stream/endpoint.h"
#include "time/clock.h"

#include <errno.h>
#include <poll.h>

/* Why stream number i could not be connected. */
static int refuse(const struct streams *streams, unsigned int i, int error, struct fault *fault)
{
	const struct streams_options *options = &streams->options;

	switch (-error) {
	case ECONNREFUSED:
		return fault_set(fault, error, "dst_port",
				 "start the listener first; a firewall that rejects looks the same",
				 "%s refused a connection to port %u", options->peer_text,
				 options->peer_port);
	case ENETUNREACH:
		return fault_set(fault, error, "dst", "ip route shows what is missing",
				 "there is no route to %s", options->peer_text);
	case EHOSTUNREACH:
		return fault_set(
			fault, error, "dst",
			"check whether the host and its link are up, and the routers on the way",
			"%s cannot be reached", options->peer_text);
	case EADDRNOTAVAIL: /* __inet_check_established(), net/ipv4/inet_hashtables.c */
	case EADDRINUSE:
		return fault_set(fault, error, "src_port",
				 "choose other ports, or end the program that uses them (ss -tanp)",
				 "port %u has a connection to port %u of %s already",
				 options->own_port + i, options->peer_port, options->peer_text);
	default:
		fault_system(fault, error, "dst", "connecting");
		/* EINVAL is a blackhole route, no fault of the request. */
		return error == -EINVAL ? -ENETUNREACH : error;
	}
}

/* Begins to connect stream i, or asks for the result. 0 or -errno. */
static int try_connect(const struct streams *streams, unsigned int i)
{
	const struct streams_options *options = &streams->options;
	struct sockaddr_storage peer;
	socklen_t length = endpoint_address(streams, &peer, options->peer, options->peer_port);

	if (connect(streams->stream[i].fd, (struct sockaddr *)&peer, length) < 0 &&
	    errno != EISCONN)
		return errno == EALREADY ? -EINPROGRESS : -errno;
	return 0;
}

static int begin(struct streams *streams, unsigned int i, struct fault *fault)
{
	const struct streams_options *options = &streams->options;
	int fd = endpoint_open(streams, (uint16_t)(options->own_port + i), fault);

	int error;

	if (fd < 0)
		return fd;
	streams->stream[i].fd = fd;
	streams->stream[i].peer_port = options->peer_port;
	streams->opened++;
	error = try_connect(streams, i);
	return error && error != -EINPROGRESS ? refuse(streams, i, error, fault) : 0;
}

/* Handles the connections with a result; returns how many still wait, or -errno. */
static int settle(struct streams *streams, struct pollfd *wait, struct fault *fault)
{
	int waiting = 0;

	for (unsigned int i = 0; i < streams->opened; i++) {
		if (wait[i].fd >= 0 && wait[i].revents) {
			int error = try_connect(streams, i);

			if (error && error != -EINPROGRESS)
				return refuse(streams, i, error, fault);
			if (!error)
				wait[i].fd = -1; /* poll() passes over it */
		}
		waiting += wait[i].fd >= 0;
	}
	return waiting;
}

static int wait_all(struct streams *streams, struct fault *fault)
{
	struct pollfd wait[STREAMS_MAX + 1];
	uint64_t until = clock_now() + STREAMS_OPEN_S * NS_PER_S;
	unsigned int count = streams->opened;
	int waiting;

	for (unsigned int i = 0; i < count; i++)
		wait[i] = (struct pollfd){ .fd = streams->stream[i].fd, .events = POLLOUT };
	wait[count] = talk_input(streams->talk);
	for (;;) {
		uint64_t now = clock_now();

		for (unsigned int i = 0; i <= count; i++)
			wait[i].revents = 0;
		poll(wait, count + 1, now < until ? (int)((until - now) / NS_PER_MS) + 1 : 0);
		waiting = settle(streams, wait, fault);
		if (waiting <= 0)
			return waiting;
		if (talk_over(streams->talk))
			return fault_set(fault, -ECANCELED, NULL, "wait for ready, then send start",
					 "stdin was closed or sent a line before ready");
		if (clock_now() >= until)
			return fault_set(fault, -ETIMEDOUT, "dst",
					 "check whether the peer is up, and the firewalls",
					 "%s answered %u of %u connections to port %u within %d s",
					 streams->options.peer_text, count - (unsigned int)waiting,
					 count, streams->options.peer_port, STREAMS_OPEN_S);
	}
}

int endpoint_connect(struct streams *streams, struct fault *fault)
{
	for (unsigned int i = 0; i < streams->options.count; i++) {
		int error = begin(streams, i, fault);

		if (error)
			return error;
	}
	return wait_all(streams, fault);
}
