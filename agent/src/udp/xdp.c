// SPDX-License-Identifier: Apache-2.0
/*
 * The sink's way that counts in the kernel: loads bpf/sink.bpf.c, attaches it to the device's
 * driver and reads its maps, which are this process's memory too. The link and the maps are gone
 * with the process, however it dies.
 */
#include "bpf/sink.h"
#include "kernel/bpf.h"
#include "kernel/bpf_object.h"
#include "kernel/device.h"
#include "kernel/netlink.h"
#include "port/port.h"
#include "time/clock.h"
#include "udp/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { CONFIG, QUEUE, BIN, FLOW, FLOW_DELAY, LEDGER, SILENCE, MAPS };

struct xdp {
	struct bpf_map map[MAPS];
	void *memory[MAPS];
	uint32_t queues;
	int program, link;
	struct tally tally;
};

_Static_assert(SINK_BUCKETS == HISTOGRAM_BUCKETS && SINK_LATE_BUCKETS == TALLY_LATE_BUCKETS,
	       "both sides have the same buckets");
_Static_assert(SINK_LEAP == WINDOW_LEAP, "both sides know a stray");
_Static_assert(SINK_SILENCES == SPANS_KEPT, "both sides keep as many silences");

static void name_maps(struct xdp *xdp, const struct tally_options *options)
{
	uint32_t ledger = options->flows * tally_words(options);
	const struct bpf_map maps[MAPS] = {
		[CONFIG] = { .name = SINK_CONFIG,
			     .value_bytes = sizeof(struct sink_config),
			     .entries = 1 },
		[QUEUE] = { .name = SINK_QUEUE,
			    .value_bytes = sizeof(struct sink_queue),
			    .entries = xdp->queues },
		[BIN] = { .name = SINK_BIN,
			  .value_bytes = sizeof(struct sink_bin),
			  .entries = xdp->queues * options->bins },
		[FLOW] = { .name = SINK_FLOW,
			   .value_bytes = sizeof(struct sink_flow),
			   .entries = options->flows },
		[FLOW_DELAY] = { .name = SINK_FLOW_DELAY,
				 .value_bytes = sizeof(struct sink_histogram),
				 .entries = options->delay_by_flow ? options->flows : 1 },
		[LEDGER] = { .name = SINK_LEDGER,
			     .value_bytes = sizeof(uint64_t),
			     .entries = ledger ? ledger : 1 },
		[SILENCE] = { .name = SINK_SILENCE,
			      .value_bytes = sizeof(struct sink_silence),
			      .entries = xdp->queues * SINK_SILENCES },
	};

	for (int i = 0; i < MAPS; i++) {
		xdp->map[i] = maps[i];
		xdp->map[i].type = BPF_MAP_TYPE_ARRAY;
		xdp->map[i].key_bytes = sizeof(uint32_t);
		xdp->map[i].flags = BPF_F_MMAPABLE;
		xdp->map[i].fd = -1;
	}
}

static int make_maps(struct xdp *xdp, struct fault *fault)
{
	bpf_allow_memory();
	for (int i = 0; i < MAPS; i++) {
		int error = bpf_map_create(&xdp->map[i], fault);

		if (error)
			return error;
		xdp->memory[i] = bpf_map_memory(&xdp->map[i]);
		if (!xdp->memory[i])
			return fault_system(fault, -errno, NULL, "mapping a BPF map");
	}
	return 0;
}

/* The same span of ports as the ring's filter lets through. */
static void configure(struct xdp *xdp, const struct sink *sink)
{
	const struct integers *ports = &sink->ports;
	struct sink_config *config = xdp->memory[CONFIG];

	*config = (struct sink_config){
		.t0_ns = SINK_NOT_BEGUN,
		.bin_ns = sink->options.bin_ns,
		.clock_ns = sink->options.clock_ns,
		.silence_ns = sink->options.silence_ns,
		.ledger = sink->options.ledger,
		.words = tally_words(&sink->options),
		.bins = sink->options.bins,
		.run = sink->options.run,
		.keyed = sink->options.keyed,
		.bound = sink->options.bound,
		.key = sink->key,
		.family = (uint32_t)sink->family,
		.delay = sink->options.delay ? SINK_DELAY_TOTAL : SINK_DELAY_NONE,
		.port_low = (uint16_t)(ports->count ? ports->item[0] : 0),
		.port_high = (uint16_t)(ports->count ? ports->item[ports->count - 1] : UINT16_MAX),
		.every_port = !ports->count,
	};
	if (sink->options.delay_by_flow)
		config->delay = SINK_DELAY_FLOW;
}

static int load(struct xdp *xdp, struct fault *fault)
{
	const struct bpf_program program = {
		.object = bpf_sink,
		.object_bytes = bpf_sink_bytes,
		.section = SINK_SECTION,
		.name = "gm_sink",
		.type = BPF_PROG_TYPE_XDP,
		.needs = "Linux 5.9",
		.maps = xdp->map,
		.map_count = MAPS,
	};

	xdp->program = bpf_program_load(&program, fault);
	return xdp->program < 0 ? xdp->program : 0;
}

static int count_queues(struct xdp *xdp, const struct device *device, uint32_t bins,
			struct fault *fault)
{
	int queues = netlink_receive_queues(device->index);
	uint32_t all;

	if (queues < 0)
		return fault_system(fault, queues, "device", "asking for its receive queues");
	xdp->queues = (uint32_t)queues;
	if (__builtin_mul_overflow(xdp->queues, bins, &all))
		return fault_set(fault, -ENOMEM, "bins", "ask for fewer bins",
				 "%u bins for each of %d receive queues are too many", bins,
				 queues);
	return 0;
}

static int open_xdp(struct sink *sink, struct fault *fault)
{
	struct xdp *xdp = calloc(1, sizeof(*xdp));
	struct tally_options options;
	struct device device;
	int error;

	sink->state = xdp;
	if (!xdp)
		return fault_system(fault, -ENOMEM, NULL, "the sink");
	xdp->program = xdp->link = -1;
	for (int i = 0; i < MAPS; i++)
		xdp->map[i].fd = -1;
	error = device_find(&device, sink->device, 1, "device", fault);
	if (!error)
		error = count_queues(xdp, &device, sink->options.bins, fault);
	if (error)
		return error;
	name_maps(xdp, &sink->options);
	options = sink->options;
	options.queues = xdp->queues;
	error = tally_open(&xdp->tally, &options, fault);
	if (!error)
		error = make_maps(xdp, fault);
	if (error)
		return error;
	configure(xdp, sink);
	error = load(xdp, fault);
	if (error)
		return error;
	xdp->link = bpf_attach_xdp(xdp->program, device.index, device.name, BPF_XDP_NATIVE, fault);
	return xdp->link < 0 ? xdp->link : 0;
}

/*
 * Half of it written, where a store of 64 bits takes two, still reads as a start that is to come.
 */
static void start(struct sink *sink, uint64_t t0_ns)
{
	struct xdp *xdp = sink->state;
	volatile struct sink_config *config = xdp->memory[CONFIG];

	config->t0_ns = t0_ns;
	xdp->tally.t0_ns = t0_ns;
}

static uint64_t received(const struct xdp *xdp)
{
	const volatile struct sink_queue *queue = xdp->memory[QUEUE];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < xdp->queues; i++)
		sum += queue[i].received;
	return sum;
}

/* Nothing to do but to wait: the kernel counts. */
static void run(struct sink *sink)
{
	struct pollfd input = { .fd = TALK_INPUT, .events = POLLIN };

	while (!talk_over(sink->talk)) {
		sink_tick(sink, received(sink->state));
		poll(&input, 1, sink_tick_wait(sink));
	}
}

static void add_histogram(struct histogram *into, const struct sink_histogram *from)
{
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->count[i] += from->count[i];
	into->total += from->total;
	if (from->most > into->most)
		into->most = from->most;
}

static void add_queue(struct tally *tally, const struct sink_queue *queue)
{
	tally->received += queue->received;
	tally->unique += queue->unique;
	tally->duplicated += queue->duplicated;
	tally->reordered += queue->reordered;
	tally->stale += queue->stale;
	tally->foreign += queue->foreign;
	tally->beyond += queue->beyond;
	tally->corrupt += queue->ip_sum + queue->udp_sum + queue->no_sum;
	tally->corrupt_by.ip_sum += queue->ip_sum;
	tally->corrupt_by.udp_sum += queue->udp_sum;
	tally->corrupt_by.no_sum += queue->no_sum;
	tally->corrupt_by.header += queue->header;
	for (int i = 0; i < SINK_LATE_BUCKETS; i++)
		tally->late[i] += queue->late[i];
	tally->bytes += queue->bytes;
	tally->gaps_over_1ms += queue->gaps_over_1ms;
	tally->delay_negative += queue->delay_negative;
	if (queue->first_ns && (!tally->first_ns || queue->first_ns < tally->first_ns))
		tally->first_ns = queue->first_ns;
	if (queue->last_ns > tally->last_ns)
		tally->last_ns = queue->last_ns;
	add_histogram(&tally->gap, &queue->gap);
	add_histogram(&tally->delay, &queue->delay);
}

/* Silences stay apart by queue: a queue may be silent while another is not. */
static void read_silences(struct tally_queue *into, const struct sink_queue *queue,
			  const struct sink_silence *silence)
{
	into->first_ns = queue->first_ns;
	into->last_ns = queue->last_ns;
	into->silences.count = queue->silences;
	into->silences.total_ns = queue->silent_ns;
	for (uint32_t i = 0; i < SINK_SILENCES && i < queue->silences; i++)
		into->silences.first[i] = (struct span){ silence[i].t_ns, silence[i].ns };
}

static void add_bins(struct tally *tally, const struct sink_bin *bin)
{
	for (uint32_t i = 0; i < tally->options.bins; i++) {
		struct tally_bin *into = &tally->bin[i];

		into->packets += bin[i].packets;
		into->delay_sum_ns += bin[i].delay_sum_ns;
		if (bin[i].delay_max_ns > into->delay_max_ns)
			into->delay_max_ns = bin[i].delay_max_ns;
	}
}

static void add_flows(struct tally *tally, const struct sink_flow *flow)
{
	for (uint32_t i = 0; i < tally->options.flows; i++)
		tally->flow[i] = (struct tally_flow){
			.unique = flow[i].unique,
			.duplicated = flow[i].duplicated,
			.reordered = flow[i].reordered,
			.highest = (int64_t)flow[i].next - 1,
			.source_port = flow[i].source_port,
		};
}

static void read_maps(struct xdp *xdp)
{
	const struct sink_queue *queue = xdp->memory[QUEUE];
	const struct sink_bin *bin = xdp->memory[BIN];
	const struct sink_histogram *delay = xdp->memory[FLOW_DELAY];
	const struct sink_silence *silence = xdp->memory[SILENCE];
	struct tally *tally = &xdp->tally;

	for (uint32_t i = 0; i < xdp->queues; i++) {
		add_queue(tally, &queue[i]);
		read_silences(&tally->queue[i], &queue[i], silence + (size_t)i * SINK_SILENCES);
		add_bins(tally, bin + (size_t)i * tally->options.bins);
	}
	add_flows(tally, xdp->memory[FLOW]);
	tally->ledger = tally->options.ledger ? xdp->memory[LEDGER] : NULL;
	for (uint32_t i = 0; tally->flow_delay && i < tally->options.flows; i++)
		add_histogram(&tally->flow_delay[i], &delay[i]);
}

/*
 * What was sent before the end may wait for its NAPI, as long as the ring would wait. Drivers
 * let go of a program when it no longer runs, so the maps are at rest once the link is closed.
 */
static const struct tally *finish(struct sink *sink)
{
	struct xdp *xdp = sink->state;

	clock_sleep_until(clock_now() + NS_PER_MS * PORT_RETIRE_MS * 2);
	close(xdp->link);
	xdp->link = -1;
	read_maps(xdp);
	return &xdp->tally;
}

static void close_xdp(struct sink *sink)
{
	struct xdp *xdp = sink->state;

	if (!xdp)
		return;
	if (xdp->link >= 0)
		close(xdp->link);
	if (xdp->program >= 0)
		close(xdp->program);
	for (int i = 0; i < MAPS; i++) {
		bpf_map_unmap(&xdp->map[i], xdp->memory[i]);
		if (xdp->map[i].fd >= 0)
			close(xdp->map[i].fd);
	}
	tally_close(&xdp->tally);
	free(xdp);
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
