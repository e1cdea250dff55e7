// SPDX-License-Identifier: Apache-2.0
/*
 * The counts of bpf/sink.bpf.c: makes its maps, which are this process's memory too, loads it, and
 * reads what it has counted. All is gone with the process, however it dies.
 */
#include "udp/xdp.h"
#include "bpf/sink.h"
#include "kernel/bpf_object.h"

#include <errno.h>
#include <unistd.h>

_Static_assert(SINK_BUCKETS == HISTOGRAM_BUCKETS && SINK_LATE_BUCKETS == TALLY_LATE_BUCKETS,
	       "both sides have the same buckets");
_Static_assert(SINK_LEAP == WINDOW_LEAP, "both sides know a stray");
_Static_assert(SINK_SILENCES == SPANS_KEPT, "both sides keep as many silences");

static void name_maps(struct xdp *xdp, const struct tally_options *options)
{
	uint32_t ledger = options->flows * tally_words(options);
	const struct bpf_map maps[XDP_MAPS] = {
		[XDP_CONFIG] = { .name = SINK_CONFIG,
				 .value_bytes = sizeof(struct sink_config),
				 .entries = 1 },
		[XDP_QUEUE] = { .name = SINK_QUEUE,
				.value_bytes = sizeof(struct sink_queue),
				.entries = xdp->queues },
		[XDP_BIN] = { .name = SINK_BIN,
			      .value_bytes = sizeof(struct sink_bin),
			      .entries = xdp->queues * options->bins },
		[XDP_FLOW] = { .name = SINK_FLOW,
			       .value_bytes = sizeof(struct sink_flow),
			       .entries = options->flows },
		[XDP_FLOW_DELAY] = { .name = SINK_FLOW_DELAY,
				     .value_bytes = sizeof(struct sink_histogram),
				     .entries = options->delay_by_flow ? options->flows : 1 },
		[XDP_LEDGER] = { .name = SINK_LEDGER,
				 .value_bytes = sizeof(uint64_t),
				 .entries = ledger ? ledger : 1 },
		[XDP_SILENCE] = { .name = SINK_SILENCE,
				  .value_bytes = sizeof(struct sink_silence),
				  .entries = xdp->queues * SINK_SILENCES },
	};

	for (int i = 0; i < XDP_MAPS; i++) {
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
	for (int i = 0; i < XDP_MAPS; i++) {
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
	struct sink_config *config = xdp->memory[XDP_CONFIG];

	*config = (struct sink_config){
		.t0_ns = SINK_NOT_BEGUN,
		.bin_ns = sink->options.bin_ns,
		.clock_ns = sink->options.clock_ns,
		.silence_ns = sink->options.silence_ns,
		.ledger = sink->options.ledger,
		.words = tally_words(&sink->options),
		.bins = sink->options.bins,
		.run = sink->options.run,
		.mark = sink->options.mark,
		.bound = sink->options.bound,
		.key = sink->key,
		.port_low = (uint16_t)(ports->count ? ports->item[0] : 0),
		.port_high = (uint16_t)(ports->count ? ports->item[ports->count - 1] : UINT16_MAX),
		.every_port = !ports->count,
	};
}

static enum sink_delay delay_of(const struct tally_options *options)
{
	if (options->delay_by_flow)
		return SINK_DELAY_FLOW;
	return options->delay ? SINK_DELAY_TOTAL : SINK_DELAY_NONE;
}

static int load(struct xdp *xdp, const struct sink *sink, struct fault *fault)
{
	const struct bpf_constant constants[] = {
		{ SINK_FAMILY, (uint64_t)sink->family },
		{ SINK_KEYED, sink->options.keyed },
		{ SINK_DELAY, delay_of(&sink->options) },
	};
	const struct bpf_program program = {
		.object = bpf_sink,
		.object_bytes = bpf_sink_bytes,
		.section = SINK_SECTION,
		.name = "gm_sink",
		.type = BPF_PROG_TYPE_XDP,
		.needs = "Linux 5.9",
		.maps = xdp->map,
		.map_count = XDP_MAPS,
		.constants = constants,
		.constant_count = sizeof(constants) / sizeof(constants[0]),
	};

	xdp->program = bpf_program_load(&program, fault);
	return xdp->program < 0 ? xdp->program : 0;
}

int xdp_open(struct xdp *xdp, const struct sink *sink, uint32_t queues, struct fault *fault)
{
	struct tally_options options = sink->options;
	int error;

	xdp->queues = options.queues = queues;
	name_maps(xdp, &sink->options);
	error = tally_open(&xdp->tally, &options, fault);
	if (!error)
		error = make_maps(xdp, fault);
	if (error)
		return error;
	configure(xdp, sink);
	return load(xdp, sink, fault);
}

/*
 * Half of it written, where a store of 64 bits takes two, still reads as a start that is to come.
 */
void xdp_start(struct xdp *xdp, uint64_t t0_ns)
{
	volatile struct sink_config *config = xdp->memory[XDP_CONFIG];

	config->t0_ns = t0_ns;
	xdp->tally.t0_ns = t0_ns;
}

uint64_t xdp_received(const struct xdp *xdp)
{
	const volatile struct sink_queue *queue = xdp->memory[XDP_QUEUE];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < xdp->queues; i++)
		sum += queue[i].received;
	return sum;
}

static void add_histogram(struct histogram *into, const struct sink_histogram *from)
{
	for (unsigned int i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->count[i] += from->count[i];
	into->total += from->total;
	if (from->most > into->most)
		into->most = from->most;
}

#define ADD(name) tally->name += queue->name;
#define ADD_CORRUPT(name) tally->corrupt_by.name += queue->name;

static void add_queue(struct tally *tally, const struct sink_queue *queue)
{
	SINK_COUNTERS(ADD, SINK_LEFT)
	CORRUPT_BY_COUNTERS(ADD_CORRUPT, SINK_LEFT)
	for (int i = 0; i < SINK_LATE_BUCKETS; i++)
		tally->late[i] += queue->late[i];
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

#define FLOW_FIELD(name) .name = flow[i].name,

static void add_flows(struct tally *tally, const struct sink_flow *flow)
{
	for (uint32_t i = 0; i < tally->options.flows; i++)
		tally->flow[i] = (struct tally_flow){ .highest = (int64_t)flow[i].next - 1,
						      .source_port = (int64_t)flow[i].source_port,
						      FLOW_COUNTERS(FLOW_FIELD, SINK_LEFT) };
}

const struct tally *xdp_read(struct xdp *xdp)
{
	const struct sink_queue *queue = xdp->memory[XDP_QUEUE];
	const struct sink_bin *bin = xdp->memory[XDP_BIN];
	const struct sink_histogram *delay = xdp->memory[XDP_FLOW_DELAY];
	const struct sink_silence *silence = xdp->memory[XDP_SILENCE];
	struct tally *tally = &xdp->tally;

	for (uint32_t i = 0; i < xdp->queues; i++) {
		add_queue(tally, &queue[i]);
		read_silences(&tally->queue[i], &queue[i], silence + (size_t)i * SINK_SILENCES);
		add_bins(tally, bin + (size_t)i * tally->options.bins);
	}
	add_flows(tally, xdp->memory[XDP_FLOW]);
	tally->ledger = tally->options.ledger ? xdp->memory[XDP_LEDGER] : NULL;
	for (uint32_t i = 0; tally->flow_delay && i < tally->options.flows; i++)
		add_histogram(&tally->flow_delay[i], &delay[i]);
	return tally;
}

void xdp_clear(struct xdp *xdp)
{
	*xdp = (struct xdp){ .program = -1 };
	for (int i = 0; i < XDP_MAPS; i++)
		xdp->map[i].fd = -1;
}

void xdp_close(struct xdp *xdp)
{
	if (xdp->program >= 0)
		close(xdp->program);
	for (int i = 0; i < XDP_MAPS; i++) {
		bpf_map_unmap(&xdp->map[i], xdp->memory[i]);
		if (xdp->map[i].fd >= 0)
			close(xdp->map[i].fd);
	}
	tally_close(&xdp->tally);
}
