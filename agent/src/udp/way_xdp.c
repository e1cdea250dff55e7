// SPDX-License-Identifier: Apache-2.0
/*
 * The sink's way that counts in the kernel: attaches the program to the device's driver. The link is
 * gone with the process, however it dies.
 */
#include "bpf/sink.h"
#include "kernel/device.h"
#include "kernel/netlink.h"
#include "port/port.h"
#include "time/clock.h"
#include "udp/sink.h"
#include "udp/xdp.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define STILL_NS (5 * NS_PER_MS) /* nothing came for so long: nothing waits for its NAPI */

struct attached {
	struct xdp xdp;
	int link; /* -1: not attached */
};

/* A positive number, or -errno. */
static int count_queues(const struct device *device, uint32_t bins, struct fault *fault)
{
	int queues = netlink_receive_queues(device->index);
	uint32_t all;

	if (queues < 0)
		return fault_system(fault, queues, "device", "asking for its receive queues");
	if (__builtin_mul_overflow((uint32_t)queues, bins, &all))
		return fault_set(fault, -ENOMEM, "bins", "ask for fewer bins",
				 "%u bins for each of %d receive queues are too many", bins,
				 queues);
	return queues;
}

static int open_xdp(struct sink *sink, struct fault *fault)
{
	struct attached *attached = calloc(1, sizeof(*attached));
	struct device device;
	int error, queues;

	sink->state = attached;
	if (!attached)
		return fault_system(fault, -ENOMEM, NULL, "the sink");
	attached->link = -1;
	xdp_clear(&attached->xdp);
	error = device_find(&device, sink->device, 1, "device", fault);
	if (error)
		return error;
	queues = count_queues(&device, sink->options.bins, fault);
	if (queues < 0)
		return queues;
	error = xdp_open(&attached->xdp, sink, (uint32_t)queues, fault);
	if (error)
		return error;
	attached->link = bpf_attach_xdp(attached->xdp.program, device.index, device.name,
					BPF_XDP_NATIVE, fault);
	return attached->link < 0 ? attached->link : 0;
}

static void start(struct sink *sink, uint64_t t0_ns)
{
	struct attached *attached = sink->state;

	xdp_start(&attached->xdp, t0_ns);
}

/* Nothing to do but to wait: the kernel counts. */
static void run(struct sink *sink)
{
	const struct attached *attached = sink->state;
	struct pollfd input = talk_input(sink->talk);

	while (!talk_over(sink->talk)) {
		sink_tick(sink, xdp_received(&attached->xdp));
		poll(&input, 1, sink_tick_wait(sink));
	}
}

/* What was sent before the end may wait for its NAPI, but no longer than the ring would wait. */
static void drain(const struct attached *attached)
{
	uint64_t now = clock_now(), until = now + NS_PER_MS * PORT_RETIRE_MS * 2;
	uint64_t still = now + STILL_NS, last = xdp_received(&attached->xdp);

	while (now < still && now < until) {
		uint64_t received;

		clock_sleep_until(now + NS_PER_MS);
		now = clock_now();
		received = xdp_received(&attached->xdp);
		if (received != last)
			still = now + STILL_NS;
		last = received;
	}
}

/*
 * Drivers let go of a program when it no longer runs, so the maps are at rest once the link is
 * closed.
 */
static const struct tally *finish(struct sink *sink)
{
	struct attached *attached = sink->state;

	drain(attached);
	close(attached->link);
	attached->link = -1;
	return xdp_read(&attached->xdp);
}

static void close_xdp(struct sink *sink)
{
	struct attached *attached = sink->state;

	if (!attached)
		return;
	if (attached->link >= 0)
		close(attached->link);
	xdp_close(&attached->xdp);
	free(attached);
	sink->state = NULL;
}

const struct sink_way way_xdp = {
	.name = "xdp",
	.window = SINK_WINDOW,
	.open = open_xdp,
	.start = start,
	.run = run,
	.finish = finish,
	.close = close_xdp,
};
