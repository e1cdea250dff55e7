// SPDX-License-Identifier: Apache-2.0
/* sink: receives test packets and accounts for each of them, in the best way available. */
#include "udp/sink.h"
#include "frame/address.h"
#include "frame/mark.h"
#include "frame/tagged.h"
#include "port/port.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_WITH_DELAY 4096 /* 8 KiB of histogram each */
#define LEDGER_MOST_BYTES (64 << 20)
#define CLOCK_MOST_NS ((1LL << 40) - 1) /* the header's time has as many bits */

enum sink_delay_kept { DELAY_FLOW, DELAY_TOTAL, DELAY_NONE };

struct sink_request {
	struct job job;
	int port;
	const char *device;
	int64_t family;
	struct integers dst_port;
	int64_t flows;
	int64_t run;
	const char *key;
	int64_t most_packets;
	double most_pps;
	int delay;
	int64_t bin_ms;
	int64_t bins;
	int64_t ring_bytes;
	int64_t clock_ns;
	int64_t ledger;
	int64_t seed;
	int64_t silence_us;
	int64_t dscp;
};

enum { PORT_AUTO, PORT_XDP, PORT_RING, PORT_UDP };

static const char *const port_names[] = { "auto", "xdp", "ring", "udp", NULL };
static const struct sink_way *const ways[] = {
	[PORT_XDP] = &way_xdp,
	[PORT_RING] = &way_ring,
	[PORT_UDP] = &way_udp,
};
static const char *const delay_names[] = { "flow", "total", "none", NULL };

static const struct key sink_keys[] = {
	KEY(sink_request, port, CHOICE, .required = true, .choices = port_names,
	    .help = "xdp: in the kernel; ring: TPACKET_V3; udp: plain sockets; auto: xdp, or else "
		    "ring"),
	KEY(sink_request, device, TEXT, .required = true, .help = "interface to listen on"),
	KEY(sink_request, family, INTEGER, .required = true, .min = 4, .max = 6, .help = "4 or 6"),
	KEY(sink_request, dst_port, INTEGERS, .min = 1, .max = 65535,
	    .help = "port to listen on, or a list; none: every port"),
	KEY(sink_request, flows, INTEGER, .preset = 1, .min = 1, .max = 100000,
	    .help = "flows 0 to flows - 1 are kept"),
	KEY(sink_request, run, INTEGER, .required = true, .max = 255,
	    .help = "the sender's run: others are foreign"),
	KEY(sink_request, key, TEXT,
	    .help = "32 hexadecimal digits: headers are tagged by them, in place of the run"),
	KEY(sink_request, most_packets, INTEGER, .max = INT64_MAX,
	    .help = "of each flow that can be sent; a higher number is foreign; 0: not known"),
	KEY(sink_request, most_pps, NUMBER, .max = 100000000,
	    .help = "of all flows that can be sent: what comes sooner is foreign; 0: not known"),
	KEY(sink_request, delay, CHOICE, .preset = DELAY_TOTAL, .choices = delay_names,
	    .help = "one-way delay histograms: flow, total or none"),
	KEY(sink_request, bin_ms, INTEGER, .preset = 100, .min = 1, .max = 10000,
	    .help = "bin of the rate over time"),
	KEY(sink_request, bins, INTEGER, .preset = 6000, .min = 1, .max = 1000000,
	    .help = "bins; what comes later goes into the last one"),
	KEY(sink_request, ring_bytes, INTEGER, .preset = 16 << 20, .min = 1 << 19, .max = 1 << 30,
	    .help = "room for packets that wait: size of the ring"),
	KEY(sink_request, clock_ns, INTEGER, .max = CLOCK_MOST_NS,
	    .help = "this host's clock less the sender's, modulo 2^40: taken off each delay"),
	KEY(sink_request, ledger, INTEGER, .max = (int64_t)LEDGER_MOST_BYTES * 8,
	    .help = "numbers of each flow of which is kept whether they came; 0: none"),
	KEY(sink_request, seed, INTEGER, .max = INT64_MAX,
	    .help = "the sender's: the ledger is also given in the order of sending"),
	KEY(sink_request, silence_us, INTEGER, .preset = 2000, .min = 1, .max = 60000000,
	    .help = "a longer time without an arrival is kept"),
	KEY(sink_request, dscp, INTEGER, .max = MARK_MOST,
	    .help = "code point that packets were sent with: others are counted"),
	{ 0 },
};

static int compare(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a;
	int32_t y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* A list with one port for each flow has most ports more than once. */
static int sort_ports(struct sink *sink, const struct integers *given, struct fault *fault)
{
	if (!given->count)
		return 0;
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
	if (request->flows * ((request->ledger + 63) / 64) * 8 > LEDGER_MOST_BYTES)
		return fault_set(fault, -EINVAL, "ledger", "ask for fewer numbers",
				 "a bit for each of %lld numbers of %lld flows is more than %d MiB",
				 (long long)request->ledger, (long long)request->flows,
				 LEDGER_MOST_BYTES >> 20);
	return 0;
}

/* A flow has one packet in each round of all flows. A burst goes when its first packet is due. */
static struct bound read_bound(const struct sink_request *request)
{
	double gap_ns = request->most_pps > 0 ? (double)NS_PER_S / request->most_pps : 0;
	double flow_gap_ns = gap_ns * (double)request->flows;

	return (struct bound){
		.numbers = (uint64_t)request->most_packets,
		.lead_ns = (uint64_t)(gap_ns * PORT_BURST_MAX),
		.gap_ns = flow_gap_ns < UINT32_MAX ? (uint32_t)flow_gap_ns : UINT32_MAX,
	};
}

static struct tally_options read_options(const struct sink_request *request)
{
	return (struct tally_options){
		.run = (uint8_t)request->run,
		.mark = (uint8_t)request->dscp,
		.keyed = request->key,
		.bound = read_bound(request),
		.flows = (uint32_t)request->flows,
		.bin_ns = (uint64_t)request->bin_ms * NS_PER_MS,
		.bins = (uint32_t)request->bins,
		.clock_ns = (uint64_t)request->clock_ns,
		.ledger = (uint32_t)request->ledger,
		.seed = (uint64_t)request->seed,
		.silence_ns = (uint64_t)request->silence_us * NS_PER_US,
		.delay = request->delay != DELAY_NONE,
		.delay_by_flow = request->delay == DELAY_FLOW,
	};
}

/*
 * Opens the requested way; for "auto" the first that opens. `passed` gets the reason against xdp.
 */
static int open_way(struct sink *sink, int port, struct fault *passed, struct fault *fault)
{
	if (port != PORT_AUTO) {
		sink->way = ways[port];
		return sink->way->open(sink, fault);
	}
	sink->way = &way_xdp;
	if (!sink->way->open(sink, passed))
		return 0;
	sink->way->close(sink);
	sink->way = &way_ring;
	return sink->way->open(sink, fault);
}

static void report_ready(const struct sink *sink, int cpu, const struct fault *passed)
{
	struct line *line = &sink->talk->line;

	talk_ready(sink->talk, sink->way->name, cpu);
	line_count(line, "window", sink->way->window);
	line_object(line, "passed_over");
	if (*passed->reason)
		line_text(line, way_xdp.name, passed->reason);
	line_close(line, '}');
	line_end(line);
}

static void count_all(struct sink *sink)
{
	uint64_t cpu_ns = clock_cpu(), t0_ns = clock_now();
	const struct tally *tally;

	sink->tick_ns = sink->tick_every_ns ? t0_ns + sink->tick_every_ns : UINT64_MAX;
	sink->way->start(sink, t0_ns);
	sink->way->run(sink);
	tally = sink->way->finish(sink);
	sink_report(&sink->talk->line, tally, clock_cpu() - cpu_ns);
}

static int sink_job(struct sink *sink, const struct sink_request *request, struct fault *fault)
{
	struct fault passed = { 0 };
	int error = sort_ports(sink, &request->dst_port, fault);

	if (!error)
		error = open_way(sink, request->port, &passed, fault);
	if (error)
		return error;
	report_ready(sink, (int)request->job.cpu, &passed);
	error = talk_start(sink->talk, fault);
	if (!error)
		count_all(sink);
	return error;
}

static int sink_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct sink_request *request = given;
	struct sink sink = {
		.device = request->device,
		.family = (int)request->family,
		.ring_bytes = (size_t)request->ring_bytes,
		.talk = talk,
		.options = read_options(request),
		.tick_every_ns = (uint64_t)request->job.tick_ms * NS_PER_MS,
	};
	int error = check(request, fault);

	if (!error && request->key)
		error = tagged_key(request->key, &sink.key, fault);
	if (error)
		return error;
	error = sink_job(&sink, request, fault);
	if (sink.way)
		sink.way->close(&sink);
	free(sink.ports.item);
	return error;
}

const struct verb verb_sink = {
	.name = "sink",
	.help = "receives UDP test packets and accounts for each",
	.keys = sink_keys,
	.request_bytes = sizeof(struct sink_request),
	.needs = SANDBOX_SOCKETS,
	.run = sink_run,
};
