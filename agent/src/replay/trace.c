// SPDX-License-Identifier: Apache-2.0
/* From captured packets to flows, and from these to a schedule. */
#include "replay/trace.h"
#include "replay/numbers.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_NS NS_PER_MS /* after the last packet, so that a replay is never of no length */

/* Both directions of a flow have one: the smaller end first. */
struct flow_key {
	uint8_t address[2][16];
	uint8_t port[2][2];
	uint8_t protocol;
};

/* A flow of the capture. */
struct captured_flow {
	int lan; /* which end of its key is the LAN side; -1: it is left out */
	uint32_t host;
	uint32_t number; /* among those that are replayed */
};

struct reader {
	struct trace *trace;
	struct numbers flows, hosts;
	struct wires wires;
	struct captured_flow *flow;
	uint32_t flow_room, packet_room;
	uint32_t replayed; /* flows that are not left out */
};

static int no_memory(struct fault *fault)
{
	return fault_system(fault, -ENOMEM, "trace", "the trace");
}

static void key_of(struct flow_key *key, const struct packet_view *view, int *sender)
{
	size_t bytes = view->family == 4 ? 4 : 16;
	int order;

	memset(key, 0, sizeof(*key));
	order = memcmp(view->source, view->destination, bytes);
	if (!order)
		order = view->source_port < view->destination_port ? -1 : 1;
	*sender = order > 0;
	memcpy(key->address[*sender], view->source, bytes);
	memcpy(key->address[!*sender], view->destination, bytes);
	be16_store(key->port[*sender], view->source_port);
	be16_store(key->port[!*sender], view->destination_port);
	key->protocol = view->protocol;
}

static int add_flow(struct reader *reader, const struct packet_view *view,
		    const struct flow_key *key, int sender, uint32_t number)
{
	int side = split_first(&reader->trace->options.split, view);
	struct captured_flow *flow;

	if (number >= reader->flow_room) {
		uint32_t room = reader->flow_room ? 2 * reader->flow_room : 64;
		void *more = realloc(reader->flow, room * sizeof(*flow));

		if (!more)
			return -ENOMEM;
		reader->flow = more;
		reader->flow_room = room;
	}
	flow = &reader->flow[number];
	*flow = (struct captured_flow){ .lan = side < 0 ? -1 : side ? sender : !sender };
	if (side < 0)
		return 0;
	flow->number = reader->replayed++;
	return numbers_of(&reader->hosts, key->address[flow->lan], &flow->host);
}

static int add_packet(struct reader *reader, const struct trace_packet *packet)
{
	struct trace *trace = reader->trace;

	if (trace->packets == reader->packet_room) {
		uint32_t room = reader->packet_room ? 2 * reader->packet_room : 1024;
		void *more = realloc(trace->packet, room * sizeof(*packet));

		if (!more)
			return -ENOMEM;
		trace->packet = more;
		reader->packet_room = room;
	}
	trace->packet[trace->packets++] = *packet;
	return 0;
}

static int take(struct reader *reader, const struct capture_packet *from,
		const struct packet_view *view)
{
	struct trace *trace = reader->trace;
	struct trace_packet packet = { .time_ns = from->time_ns,
				       .timed = from->timed,
				       .ip = view->ip,
				       .captured = view->captured,
				       .bytes = view->length };
	const struct captured_flow *flow;
	struct flow_key key;
	uint32_t number;
	int sender, error;

	key_of(&key, view, &sender);
	error = numbers_of(&reader->flows, &key, &number);
	if (error > 0)
		error = add_flow(reader, view, &key, sender, number);
	if (error < 0)
		return error;
	flow = &reader->flow[number];
	if (flow->lan < 0) {
		trace->skipped[PACKET_SIDE]++;
		return 0;
	}
	packet.flow = flow->number;
	packet.up = flow->lan == sender;
	return add_packet(reader, &packet);
}

/* Reads the whole capture. */
static int read_packets(struct reader *reader, struct capture *capture, struct fault *fault)
{
	struct trace *trace = reader->trace;
	struct capture_packet packet;
	int result;

	while ((result = capture_next(capture, &packet, fault)) > 0) {
		struct packet_view view;
		enum packet_verdict verdict = packet_read(&view, &packet);

		if (verdict == PACKET_LINK)
			return capture_fault(capture, fault, packet.at,
					     "link type %u is not read; Ethernet, raw IP and "
					     "Linux cooked are",
					     packet.link);
		if (verdict == PACKET_TAKEN && view.family != trace->options.family)
			verdict = PACKET_FAMILY;
		if (verdict == PACKET_TAKEN && view.length > trace->options.packet_most)
			verdict = PACKET_TOO_LONG;
		if (verdict != PACKET_TAKEN)
			trace->skipped[verdict]++;
		else if (take(reader, &packet, &view) < 0)
			return no_memory(fault);
		if ((uint64_t)trace->packets * trace->options.clones > TRACE_PACKETS_MAX)
			return fault_set(fault, -EINVAL, "trace", "cut the capture, or clone less",
					 "%.100s: more than %u packets, clones included",
					 capture->name, TRACE_PACKETS_MAX);
	}
	return result;
}

static int take_wire(struct reader *reader, struct wire *wire, struct fault *fault)
{
	int error = wires_take(&reader->wires, wire);

	if (error != -EADDRINUSE)
		return error ? no_memory(fault) : 0;
	return fault_set(fault, -EINVAL, "clones", "clone less, or give more clients",
			 "client %u has no port left towards port %u", wire->client,
			 wire->far_port);
}

/* Clone c of the capture's flow f. */
static int make_flow(struct reader *reader, uint32_t f, uint32_t c, struct wire *flow,
		     struct fault *fault)
{
	const struct captured_flow *from = &reader->flow[f];
	struct flow_key key;

	memcpy(&key, reader->flows.key + (size_t)f * sizeof(key), sizeof(key));
	flow->client = (from->host + c * reader->hosts.count) % reader->trace->options.clients;
	flow->lan_port = be16_load(key.port[from->lan]);
	flow->far_port = be16_load(key.port[!from->lan]);
	flow->protocol = key.protocol;
	return take_wire(reader, flow, fault);
}

/* All first clones first, so that the capture's own flows keep their ports. */
static int make_flows(struct reader *reader, struct fault *fault)
{
	struct trace *trace = reader->trace;
	const struct trace_options *options = &trace->options;
	size_t clones = options->clones;

	trace->hosts = reader->hosts.count;
	trace->flows =
		reader->replayed * options->clones; /* each has a packet: TRACE_PACKETS_MAX */
	trace->flow = calloc((size_t)trace->flows + 1, sizeof(*trace->flow));
	if (wires_open(&reader->wires, trace->flows) < 0 || !trace->flow)
		return no_memory(fault);
	for (uint32_t c = 0; c < options->clones; c++) {
		for (uint32_t f = 0; f < reader->flows.count; f++) {
			const struct captured_flow *from = &reader->flow[f];
			int error = 0;

			if (from->lan >= 0)
				error = make_flow(reader, f, c,
						  &trace->flow[from->number * clones + c], fault);
			if (error)
				return error;
		}
	}
	return 0;
}

/* The order of due times; what is due together goes as it was captured, clones in their order. */
static int compare(const void *a, const void *b)
{
	const struct trace_entry *x = a;
	const struct trace_entry *y = b;

	if (x->due_ns != y->due_ns)
		return x->due_ns < y->due_ns ? -1 : 1;
	if (x->packet != y->packet)
		return x->packet < y->packet ? -1 : 1;
	return (x->flow > y->flow) - (x->flow < y->flow);
}

static uint64_t first_time(const struct trace *trace)
{
	uint64_t first = UINT64_MAX;

	for (uint32_t i = 0; i < trace->packets; i++)
		if (trace->packet[i].timed && trace->packet[i].time_ns < first)
			first = trace->packet[i].time_ns;
	return first;
}

/* Every packet of every clone with its time by the capture. */
static void list_entries(const struct trace *trace, struct trace_entry *entry)
{
	const struct trace_options *options = &trace->options;
	uint64_t first = first_time(trace);

	for (uint32_t i = 0; i < trace->packets; i++) {
		const struct trace_packet *packet = &trace->packet[i];
		double after = packet->timed ? (double)(packet->time_ns - first) : 0;
		double scaled = options->rate_pps > 0 ? after : after / options->speed;
		/* A damaged time may be centuries away: beyond any duration, but still a number. */
		uint64_t due_ns = scaled < 1e18 ? (uint64_t)scaled : (uint64_t)1e18;

		for (uint32_t c = 0; c < options->clones; c++)
			*entry++ = (struct trace_entry){
				.due_ns = due_ns + c * options->stagger_ns,
				.flow = packet->flow * options->clones + c,
				.packet = i,
				.bytes = packet->bytes,
			};
	}
}

/* Distributes the sorted entries to their directions, as far as these are replayed. */
static void deal(struct trace *trace, struct trace_entry *all, uint32_t count)
{
	const struct trace_options *options = &trace->options;
	uint64_t last = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct trace_packet *packet = &trace->packet[all[i].packet];
		enum way way = packet->up ? WAY_UP : WAY_DOWN;

		if (options->rate_pps > 0)
			all[i].due_ns =
				(uint64_t)((double)i * (double)NS_PER_S / options->rate_pps);
		if (!options->ways[way])
			continue;
		if (all[i].due_ns >= options->duration_ns) {
			trace->over++;
			continue;
		}
		trace->padded += packet->captured < packet->bytes;
		last = all[i].due_ns;
		trace->entry[way][trace->entries[way]++] = all[i];
	}
	trace->length_ns = trace->over ? options->duration_ns : last + SHARE_NS;
}

static int schedule(struct trace *trace, struct fault *fault)
{
	uint32_t count = trace->packets * trace->options.clones;
	struct trace_entry *all = calloc(count, sizeof(*all));
	int error = 0;

	for (int way = 0; way < WAYS; way++)
		trace->entry[way] = calloc(count, sizeof(*all));
	if (all && trace->entry[WAY_UP] && trace->entry[WAY_DOWN]) {
		list_entries(trace, all);
		qsort(all, count, sizeof(*all), compare);
		deal(trace, all, count);
	} else {
		error = no_memory(fault);
	}
	free(all);
	if (!error && !trace->entries[WAY_UP] && !trace->entries[WAY_DOWN])
		error = fault_set(fault, -EINVAL, "ways", "replay the other way as well",
				  "no packet of the trace goes this way");
	return error;
}

/* Whether a capture has what the request needs. */
static int check(const struct trace *trace, const char *name, struct fault *fault)
{
	if (!trace->packets)
		return fault_set(fault, -EINVAL, "trace",
				 trace->skipped[PACKET_FAMILY]
					 ? "replay its other IP version"
					 : "tcpdump -nr FILE shows what it holds",
				 "%.100s: no packet of TCP or UDP over IPv%d in it that can be "
				 "replayed",
				 name, trace->options.family);
	for (uint32_t i = 0; i < trace->packets; i++)
		if (!trace->packet[i].timed && trace->options.rate_pps <= 0)
			return fault_set(fault, -EINVAL, "trace", "give a rate",
					 "%.100s: its packets were kept without their times", name);
	return 0;
}

int trace_open(struct trace *trace, const struct trace_options *options, struct capture *capture,
	       struct fault *fault)
{
	struct reader reader = { .trace = trace };
	int error;

	*trace = (struct trace){ .options = *options };
	numbers_open(&reader.flows, sizeof(struct flow_key));
	numbers_open(&reader.hosts, 16);
	error = read_packets(&reader, capture, fault);
	if (!error)
		error = check(trace, capture->name, fault);
	if (!error)
		error = make_flows(&reader, fault);
	if (!error)
		error = schedule(trace, fault);
	numbers_close(&reader.flows);
	numbers_close(&reader.hosts);
	wires_close(&reader.wires);
	free(reader.flow);
	return error;
}

void trace_close(struct trace *trace)
{
	for (int way = 0; way < WAYS; way++)
		free(trace->entry[way]);
	free(trace->flow);
	free(trace->packet);
	*trace = (struct trace){ 0 };
}
