// SPDX-License-Identifier: Apache-2.0
/* A set of streams, from the request to its start. */
#include "stream/open.h"
#include "kernel/device.h"
#include "port/socket.h"
#include "stream/endpoint.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

/*
 * Not zeros: the data may be compressed on their way, and pages that were never written share a
 * page that stays in the cache. xorshift64 (Marsaglia 2003).
 */
static void fill(uint8_t *block, size_t bytes)
{
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i < bytes; i++) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		block[i] = (uint8_t)state;
	}
}

static int prepare(struct streams *streams, struct fault *fault)
{
	const struct streams_options *options = &streams->options;
	struct device device = { 0 };
	int error = 0;

	if (options->device)
		error = device_find(&device, options->device, 1, "device", fault);
	if (error)
		return error;
	streams->scope = (uint32_t)device.index;
	error = socket_allow(options->count + 64);
	if (error)
		return fault_system(fault, error, "streams", "a socket for each stream");
	streams->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (streams->epoll < 0)
		return fault_system(fault, -errno, NULL, "epoll");
	streams->block = malloc(options->write_bytes);
	if (!streams->block)
		return fault_system(fault, -ENOMEM, "write_bytes", "a block of data");
	fill(streams->block, options->write_bytes);
	return 0;
}

int streams_open(struct streams *streams, const struct streams_options *options, struct talk *talk,
		 struct fault *fault)
{
	int error;

	streams->options = *options;
	streams->talk = talk;
	error = prepare(streams, fault);
	if (error)
		return error;
	return options->listens ? endpoint_listen(streams, fault)
				: endpoint_connect(streams, fault);
}

/*
 * A source also polls for the peer's FIN: where the peer's window is closed, the source sends
 * nothing that could bring a reset.
 */
static int attend(struct streams *streams, struct fault *fault)
{
	for (unsigned int i = 0; i < streams->opened; i++) {
		struct epoll_event event = {
			.events = streams->options.source ? EPOLLOUT | EPOLLRDHUP : EPOLLIN,
			.data.ptr = &streams->stream[i],
		};

		if (epoll_ctl(streams->epoll, EPOLL_CTL_ADD, streams->stream[i].fd, &event) < 0)
			return fault_system(fault, -errno, NULL, "epoll");
	}
	streams->alive = streams->opened;
	return 0;
}

int streams_start(struct streams *streams, struct fault *fault)
{
	const struct streams_options *options = &streams->options;
	int error = options->listens ? endpoint_accept(streams, fault) : 0;

	if (!error && !options->listens)
		error = talk_await_start(streams->talk, fault);
	if (!error)
		error = attend(streams, fault);
	if (error)
		return error;
	talk_answer_start(streams->talk);
	clock_sharpen();
	streams->t0_ns = clock_now();
	streams->now_ns = streams->t0_ns;
	streams->moved_ns = streams->t0_ns;
	streams->end_ns = streams->t0_ns + options->duration_ns;
	streams->look_ns = streams->t0_ns + STREAMS_LOOK_NS;
	streams->tick_ns = options->tick_ns ? streams->t0_ns + options->tick_ns : UINT64_MAX;
	return 0;
}
