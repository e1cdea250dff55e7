// SPDX-License-Identifier: Apache-2.0
/* sink: receives test packets and accounts for each of them. */
#include "lib/account.h"
#include "lib/address.h"
#include "lib/clock.h"
#include "lib/tell.h"
#include "port/port.h"
#include "verbs/verb.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 256
#define FLOWS_WITH_DELAY 4096 /* 8 KiB of histogram each */

enum delay { DELAY_FLOW, DELAY_TOTAL, DELAY_NONE };

struct sink_request {
	struct job job;
	int port;
	const char *device;
	int64_t family;
	struct integers dst_port;
	int64_t flows;
	int64_t run;
	int delay;
	int64_t bin_ms;
	int64_t bins;
	int64_t ring_bytes;
};

static const struct port_kind *const ports[] = { &port_ring, &port_udp_sink };
static const char *const port_names[] = { "ring", "udp", NULL };
static const char *const delay_names[] = { "flow", "total", "none", NULL };

static const struct key sink_keys[] = {
	KEY(sink_request, port, CHOICE, .required = true, .choices = port_names,
	    .help = "ring: TPACKET_V3; udp: plain sockets"),
	KEY(sink_request, device, TEXT, .required = true, .help = "interface to listen on"),
	KEY(sink_request, family, INTEGER, .required = true, .min = 4, .max = 6, .help = "4 or 6"),
	KEY(sink_request, dst_port, INTEGERS, .required = true, .min = 1, .max = 65535,
	    .help = "port to listen on, or a list"),
	KEY(sink_request, flows, INTEGER, .preset = 1, .min = 1, .max = 65536,
	    .help = "flows 0 to flows - 1 are kept"),
	KEY(sink_request, run, INTEGER, .required = true, .max = 255,
	    .help = "the sender's run: others are foreign"),
	KEY(sink_request, delay, CHOICE, .preset = DELAY_TOTAL, .choices = delay_names,
	    .help = "one-way delay histograms: flow, total or none"),
	KEY(sink_request, bin_ms, INTEGER, .preset = 100, .min = 1, .max = 10000,
	    .help = "bin of the rate over time"),
	KEY(sink_request, bins, INTEGER, .preset = 6000, .min = 1, .max = 1000000,
	    .help = "bins; what comes later goes into the last one"),
	KEY(sink_request, ring_bytes, INTEGER, .preset = 16 << 20, .min = 1 << 19, .max = 1 << 30,
	    .help = "room for packets that wait: size of the ring"),
	{ 0 },
};

struct sink {
	const struct sink_request *request;
	struct talk *talk;
	struct port port;
	struct integers ports; /* sorted, each once */
	struct account account;
	uint64_t tick_ns; /* when to report next */
	struct arrival batch[BATCH];
};

static int compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* A list with one port for each flow names most of them more than once. */
static int sort_ports(struct sink *sink, struct fault *fault)
{
	const struct integers *given = &sink->request->dst_port;

	if (!given->count)
		return fault_set(fault, -EINVAL, "dst_port", "give a port", "the list is empty");
	sink->ports.item = calloc(given->count, sizeof(*given->item));
	if (!sink->ports.item)
		return fault_system(fault, -ENOMEM, "dst_port", "the list of ports");
	for (size_t i = 0; i < given->count; i++)
		sink->ports.item[i] = given->item[i];
	qsort(sink->ports.item, given->count, sizeof(*given->item), compare);
	for (size_t i = 0; i < given->count; i++)
		if (!i || sink->ports.item[i] != sink->ports.item[i - 1])
			sink->ports.item[sink->ports.count++] = sink->ports.item[i];
	return 0;
}

static int check(const struct sink_request *request, struct fault *fault)
{
	int error = family_check(request->family, "family", fault);

	if (error)
		return error;
	if (request->delay == DELAY_FLOW && request->flows > FLOWS_WITH_DELAY)
		return fault_set(fault, -EINVAL, "delay", "ask for \"total\"",
				 "delay histograms are kept for %d flows at most",
				 FLOWS_WITH_DELAY);
	return 0;
}

static int open_account(struct sink *sink, struct fault *fault)
{
	const struct sink_request *request = sink->request;
	const struct account_options options = {
		.run = (uint8_t)request->run,
		.flows = (uint32_t)request->flows,
		.bin_ns = (uint64_t)request->bin_ms * NS_PER_MS,
		.bins = (uint32_t)request->bins,
		.delay = request->delay != DELAY_NONE,
		.delay_by_flow = request->delay == DELAY_FLOW,
	};

	return account_open(&sink->account, &options, fault);
}

static int open_port(struct sink *sink, struct fault *fault)
{
	const struct port_options options = {
		.device = sink->request->device,
		.family = (int)sink->request->family,
		.destination_ports = sink->ports,
		.ring_bytes = (size_t)sink->request->ring_bytes,
	};

	sink->port.kind = ports[sink->request->port];
	return sink->port.kind->open(&sink->port, &options, fault);
}

/* Accounts for one batch of what waits; 0 if nothing does. */
static unsigned int take_batch(struct sink *sink)
{
	unsigned int count = sink->port.kind->receive(&sink->port, sink->batch, BATCH);

	for (unsigned int i = 0; i < count; i++)
		account_add(&sink->account, &sink->batch[i]);
	return count;
}

static uint64_t tick_interval(const struct sink *sink)
{
	return (uint64_t)sink->request->job.tick_ms * NS_PER_MS;
}

static void tick(struct sink *sink)
{
	struct line *line = &sink->talk->line;

	line_begin(line, "tick");
	line_count(line, "t_ns", clock_now());
	line_count(line, "received", sink->account.received);
	line_end(line);
	sink->tick_ns += tick_interval(sink);
}

/* Milliseconds until the next tick, for poll(). */
static int tick_wait(const struct sink *sink)
{
	uint64_t now = clock_now();

	if (sink->tick_ns == UINT64_MAX)
		return -1;
	return sink->tick_ns > now ? (int)((sink->tick_ns - now) / NS_PER_MS) + 1 : 0;
}

/* Receives until stdin is closed. Both are looked at once a batch, or when one wakes us. */
static void receive_all(struct sink *sink)
{
	struct pollfd wait[] = {
		{ .fd = sink->port.fd, .events = POLLIN },
		{ .fd = TALK_INPUT, .events = POLLIN },
	};

	while (!talk_over(sink->talk)) {
		if (sink->tick_ns <= clock_now())
			tick(sink);
		if (!take_batch(sink))
			poll(wait, 2, tick_wait(sink));
	}
}

/* What arrived before the end is in the port still, up to the time that it retires a block. */
static void drain(struct sink *sink)
{
	uint64_t until = clock_now() + NS_PER_MS * PORT_RETIRE_MS * 2;
	struct pollfd wait = { .fd = sink->port.fd, .events = POLLIN };

	for (;;) {
		uint64_t now;

		while (take_batch(sink))
			;
		now = clock_now();
		if (now >= until)
			return;
		poll(&wait, 1, (int)((until - now) / NS_PER_MS) + 1);
	}
}

static void tell_totals(struct line *line, const struct sink *sink, uint64_t cpu_ns)
{
	const struct account *account = &sink->account;

	line_count(line, "received", account->received);
	line_count(line, "unique", account->unique);
	line_count(line, "duplicated", account->duplicated);
	line_count(line, "reordered", account->reordered);
	line_count(line, "stale", account->stale);
	line_count(line, "foreign", account->foreign);
	line_count(line, "corrupt", account->corrupt);
	line_count(line, "ring_dropped", sink->port.dropped);
	line_count(line, "bytes", account->bytes);
	line_count(line, "first_ns", account->first_ns);
	line_count(line, "last_ns", account->last_ns);
	line_count(line, "cpu_ns", cpu_ns);
}

/* One 64-bit field of every flow. */
static void tell_column(struct line *line, const struct account *account, const char *name,
			size_t offset)
{
	line_list(line, name);
	for (uint32_t i = 0; i < account->options.flows; i++) {
		int64_t value;

		memcpy(&value, (const char *)&account->flow[i] + offset, sizeof(value));
		line_integer(line, NULL, value);
	}
	line_close(line, ']');
}

static void tell_flows(struct line *line, const struct account *account)
{
	line_object(line, "flow");
	tell_column(line, account, "unique", offsetof(struct account_flow, unique));
	tell_column(line, account, "duplicated", offsetof(struct account_flow, duplicated));
	tell_column(line, account, "reordered", offsetof(struct account_flow, reordered));
	tell_column(line, account, "highest", offsetof(struct account_flow, window.highest));
	tell_column(line, account, "source_port", offsetof(struct account_flow, source_port));
	line_close(line, '}');
}

static void tell_times(struct line *line, const struct account *account)
{
	if (account->options.delay) {
		tell_histogram(line, "delay_ns", &account->delay);
		line_count(line, "delay_negative", account->delay_negative);
	}
	if (account->flow_delay) {
		line_list(line, "delay_by_flow");
		for (uint32_t i = 0; i < account->options.flows; i++)
			tell_histogram(line, NULL, &account->flow_delay[i]);
		line_close(line, ']');
	}
	tell_histogram(line, "gap_ns", &account->gap);
	line_count(line, "gaps_over_1ms", account->gaps_over_1ms);
}

static void tell_rate(struct line *line, const struct account *account)
{
	uint32_t used = account->options.bins;

	while (used && !account->rate[used - 1])
		used--;
	line_object(line, "rate");
	line_count(line, "t0_ns", account->t0_ns);
	line_count(line, "bin_ms", account->options.bin_ns / NS_PER_MS);
	line_list(line, "packets");
	for (uint32_t i = 0; i < used; i++)
		line_count(line, NULL, account->rate[i]);
	line_close(line, ']');
	line_close(line, '}');
}

static void tell_done(const struct sink *sink, uint64_t cpu_ns)
{
	struct line *line = &sink->talk->line;

	line_begin(line, "done");
	tell_totals(line, sink, cpu_ns);
	tell_flows(line, &sink->account);
	tell_times(line, &sink->account);
	tell_rate(line, &sink->account);
	line_end(line);
}

static int sink_job(struct sink *sink, struct fault *fault)
{
	uint64_t cpu_ns;
	int error = sort_ports(sink, fault);

	if (!error)
		error = open_account(sink, fault);
	if (!error)
		error = open_port(sink, fault);
	if (error)
		return error;
	talk_ready(sink->talk, sink->port.kind->name, (int)sink->request->job.cpu);
	line_end(&sink->talk->line);
	error = talk_start(sink->talk, fault);
	if (error)
		return error;
	cpu_ns = clock_cpu();
	account_start(&sink->account, clock_now());
	sink->tick_ns = UINT64_MAX;
	if (sink->request->job.tick_ms)
		sink->tick_ns = sink->account.t0_ns + tick_interval(sink);
	receive_all(sink);
	drain(sink);
	sink->port.kind->settle(&sink->port);
	tell_done(sink, clock_cpu() - cpu_ns);
	return 0;
}

static int sink_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct sink_request *request = given;
	struct sink *sink;
	int error = check(request, fault);

	if (error)
		return error;
	sink = calloc(1, sizeof(*sink));
	if (!sink)
		return fault_system(fault, -ENOMEM, NULL, "the sink");
	sink->request = request;
	sink->talk = talk;
	error = sink_job(sink, fault);
	if (sink->port.kind)
		sink->port.kind->close(&sink->port);
	account_close(&sink->account);
	free(sink->ports.item);
	free(sink);
	return error;
}

const struct verb verb_sink = {
	.name = "sink",
	.help = "receives UDP test packets and accounts for each",
	.keys = sink_keys,
	.request_bytes = sizeof(struct sink_request),
	.run = sink_run,
};
