// SPDX-License-Identifier: Apache-2.0
/* The sink's ways that take each packet from a port and account for it here: ring and udp. */
#include "count/account.h"
#include "port/port.h"
#include "time/clock.h"
#include "udp/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#define BATCH 256
#define LOOK_NS NS_PER_MS /* from one look at stdin to the next while packets come */

struct receiver {
	struct port port;
	struct account account;
	struct arrival batch[BATCH];
};

static int open_receiver(struct sink *sink, const struct port_kind *kind, struct fault *fault)
{
	const struct port_options options = {
		.device = sink->device,
		.family = sink->family,
		.destination_ports = sink->ports,
		.ring_bytes = sink->ring_bytes,
		.key = sink->options.keyed ? &sink->key : NULL,
	};
	struct receiver *receiver = calloc(1, sizeof(*receiver));
	int error;

	sink->state = receiver;
	if (!receiver)
		return fault_system(fault, -ENOMEM, NULL, "the sink");
	error = account_open(&receiver->account, &sink->options, fault);
	if (error)
		return error;
	receiver->port.kind = kind;
	return kind->open(&receiver->port, &options, fault);
}

static int open_ring(struct sink *sink, struct fault *fault)
{
	return open_receiver(sink, &port_ring, fault);
}

static int open_udp(struct sink *sink, struct fault *fault)
{
	if (!sink->ports.count)
		return fault_set(fault, -EINVAL, "dst_port", "give a port",
				 "the port udp needs a port to listen on");
	return open_receiver(sink, &port_udp_sink, fault);
}

static void start(struct sink *sink, uint64_t t0_ns)
{
	struct receiver *receiver = sink->state;

	account_start(&receiver->account, t0_ns);
}

/* Accounts for one batch of what waits; 0 if nothing does. */
static unsigned int take_batch(struct receiver *receiver)
{
	struct port *port = &receiver->port;
	unsigned int count = port->kind->receive(port, receiver->batch, BATCH);

	for (unsigned int i = 0; i < count; i++)
		account_add(&receiver->account, &receiver->batch[i]);
	return count;
}

/*
 * Each call of the kernel counts where few packets come at a time. A batch that is not full has
 * emptied the port, so poll() is next; stdin is looked at when it wakes us, and now and then.
 */
static void run(struct sink *sink)
{
	struct receiver *receiver = sink->state;
	struct pollfd wait[] = {
		{ .fd = receiver->port.fd, .events = POLLIN },
		talk_input(sink->talk),
	};
	uint64_t look_ns = 0;

	for (;;) {
		uint64_t now = clock_now();

		if (now >= look_ns) {
			if (talk_over(sink->talk))
				return;
			look_ns = now + LOOK_NS;
		}
		sink_tick(sink, receiver->account.tally.received);
		if (take_batch(receiver) == BATCH)
			continue;
		if (poll(wait, 2, sink_tick_wait(sink)) <= 0 || wait[1].revents)
			look_ns = 0;
	}
}

/* Arrivals before the end may still be in the port, until it retires their block. */
static void drain(struct receiver *receiver)
{
	uint64_t until = clock_now() + NS_PER_MS * PORT_RETIRE_MS * 2;
	struct pollfd wait = { .fd = receiver->port.fd, .events = POLLIN };

	for (;;) {
		uint64_t now;

		while (take_batch(receiver))
			;
		now = clock_now();
		if (now >= until)
			return;
		poll(&wait, 1, (int)((until - now) / NS_PER_MS) + 1);
	}
}

static const struct tally *finish(struct sink *sink)
{
	struct receiver *receiver = sink->state;

	drain(receiver);
	receiver->port.kind->settle(&receiver->port);
	receiver->account.tally.ring_dropped = receiver->port.dropped;
	receiver->account.tally.clock_stepped_ns = receiver->port.stepped_ns;
	return &receiver->account.tally;
}

static void close_receiver(struct sink *sink)
{
	struct receiver *receiver = sink->state;

	if (!receiver)
		return;
	if (receiver->port.kind)
		receiver->port.kind->close(&receiver->port);
	account_close(&receiver->account);
	free(receiver);
	sink->state = NULL;
}

const struct sink_way way_ring = {
	.name = "ring",
	.window = WINDOW_NUMBERS,
	.open = open_ring,
	.start = start,
	.run = run,
	.finish = finish,
	.close = close_receiver,
};

const struct sink_way way_udp = {
	.name = "udp",
	.window = WINDOW_NUMBERS,
	.open = open_udp,
	.start = start,
	.run = run,
	.finish = finish,
	.close = close_receiver,
};
