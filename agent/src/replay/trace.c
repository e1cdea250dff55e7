// SPDX-License-Identifier: Apache-2.0
/* From captured packets to flows, and from these to a schedule. */
#include "replay/trace.h"
#include "frame/frame.h"
#include "replay/cut.h"
#include "replay/numbers.h"
#include "replay/times.h"
#include "time/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TCP_BYTES 20
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
	struct cut cut; /* by the ends of its key */
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
				       .bytes = view->length,
				       .wire_bytes = from->length,
				       .header_bytes = (uint16_t)view->header_bytes,
				       .payload_at = (uint16_t)view->payload_at,
				       .protocol = view->protocol,
				       .last = true };
	struct captured_flow *flow;
	struct flow_key key;
	int sender, error;

	key_of(&key, view, &sender);
	error = numbers_of(&reader->flows, &key, &packet.flow);
	if (error > 0)
		error = add_flow(reader, view, &key, sender, packet.flow);
	if (error < 0)
		return error;
	flow = &reader->flow[packet.flow];
	if (flow->lan < 0) {
		left_add(&trace->left, PACKET_SIDE, from, view);
		return 0;
	}
	cut_note(&flow->cut, view, sender, trace->options.packet_most);
	packet.up = flow->lan == sender;
	return add_packet(reader, &packet);
}

/* Whether a packet that can be read is replayed. */
static enum packet_verdict judge(const struct trace_options *options,
				 const struct capture_packet *packet,
				 const struct packet_view *view)
{
	if (view->family != options->family)
		return PACKET_FAMILY;
	if (view->routed)
		return PACKET_ROUTED;
	if (view->length > options->packet_most && !cut_can(view, options->packet_most))
		return PACKET_TOO_LONG;
	return packet->timed || options->rate_pps > 0 ? PACKET_TAKEN : PACKET_TIME;
}

static int check_count(const struct reader *reader, uint64_t packets, const struct capture *capture,
		       struct fault *fault)
{
	if (packets * reader->trace->options.clones <= TRACE_PACKETS_MAX)
		return 0;
	return fault_set(fault, -EINVAL, "trace", "cut the capture, or clone less",
			 "%.100s: more than %u packets, clones included", capture->name,
			 TRACE_PACKETS_MAX);
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

		left_read(&trace->left, &packet);
		if (verdict == PACKET_TAKEN)
			verdict = judge(&trace->options, &packet, &view);
		if (verdict != PACKET_TAKEN)
			left_add(&trace->left, verdict, &packet, &view);
		else if (take(reader, &packet, &view) < 0)
			return no_memory(fault);
		if (check_count(reader, trace->packets, capture, fault))
			return -EINVAL;
	}
	return result;
}

/* Leaves out what is years away from the others; all packets have a time here. */
static int check_times(struct trace *trace, struct fault *fault)
{
	uint64_t *time_ns = calloc((size_t)trace->packets + 1, sizeof(*time_ns)), median_ns;
	uint32_t count = trace->packets;

	if (!time_ns)
		return no_memory(fault);
	for (uint32_t i = 0; i < count; i++)
		time_ns[i] = trace->packet[i].time_ns;
	median_ns = times_median(time_ns, count);
	free(time_ns);
	trace->packets = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct trace_packet packet = trace->packet[i];

		if (times_is_far(packet.time_ns, median_ns)) {
			trace->left.packets[PACKET_TIME]++;
			trace->left.bytes += packet.wire_bytes;
		} else {
			trace->packet[trace->packets++] = packet;
		}
	}
	return 0;
}

/* Payload bytes of each piece of a packet. */
static uint32_t piece_bytes(const struct reader *reader, const struct trace_packet *packet)
{
	const struct captured_flow *flow = &reader->flow[packet->flow];
	uint32_t most = reader->trace->options.packet_most;
	uint32_t tcp_bytes = packet->payload_at - packet->header_bytes;

	if (packet->bytes <= most)
		return packet->bytes;
	return cut_bytes(&flow->cut, packet->up ? flow->lan : !flow->lan, packet->payload_at,
			 tcp_bytes - TCP_BYTES, most);
}

static uint32_t count_pieces(const struct reader *reader, const struct trace_packet *packet)
{
	uint32_t payload = packet->bytes - packet->payload_at;
	uint32_t each = piece_bytes(reader, packet);

	return payload ? (payload + each - 1) / each : 1;
}

/* The pieces of a packet, into memory for them. */
static void list_pieces(struct reader *reader, const struct trace_packet *whole,
			struct trace_packet *piece)
{
	uint32_t payload = whole->bytes - whole->payload_at;
	uint32_t count = count_pieces(reader, whole), each = piece_bytes(reader, whole);

	reader->trace->cut += count > 1;
	for (uint32_t i = 0; i < count; i++, piece++) {
		uint32_t left = payload - i * each;

		*piece = *whole;
		piece->from = i * each;
		piece->bytes = whole->payload_at + (left < each ? left : each);
		piece->wire_bytes = i ? 0 : whole->wire_bytes;
		piece->last = i == count - 1;
	}
}

/* Cuts what was merged: the flows have shown by now how long their segments are. */
static int cut_packets(struct reader *reader, struct capture *capture, struct fault *fault)
{
	struct trace *trace = reader->trace;
	struct trace_packet *all;
	uint64_t count = 0;

	for (uint32_t i = 0; i < trace->packets; i++)
		count += count_pieces(reader, &trace->packet[i]);
	if (count == trace->packets)
		return 0;
	if (check_count(reader, count, capture, fault))
		return -EINVAL;
	all = calloc((size_t)count, sizeof(*all));
	if (!all)
		return no_memory(fault);
	count = 0;
	for (uint32_t i = 0; i < trace->packets; i++) {
		list_pieces(reader, &trace->packet[i], all + count);
		count += count_pieces(reader, &trace->packet[i]);
	}
	free(trace->packet);
	trace->packet = all;
	trace->packets = (uint32_t)count;
	return 0;
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
static void list_entries(const struct trace *trace, const struct captured_flow *flow,
			 struct trace_entry *entry)
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
				.flow = flow[packet->flow].number * options->clones + c,
				.packet = i,
				.bytes = packet->bytes,
			};
	}
}

/* Counts an entry that is not replayed, where it stands for a packet of the capture. */
static void leave(const struct trace *trace, const struct trace_entry *entry, uint64_t *packets,
		  uint64_t *bytes)
{
	const struct trace_packet *packet = &trace->packet[entry->packet];

	if (entry->flow % trace->options.clones || !packet->wire_bytes)
		return;
	++*packets;
	*bytes += packet->wire_bytes;
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
		if (!options->ways[way]) {
			leave(trace, &all[i], &trace->unasked, &trace->unasked_bytes);
			continue;
		}
		if (all[i].due_ns >= options->duration_ns) {
			leave(trace, &all[i], &trace->late, &trace->late_bytes);
			trace->over++;
			continue;
		}
		trace->padded += packet->captured < packet->from + packet->bytes;
		last = all[i].due_ns;
		trace->entry[way][trace->entries[way]++] = all[i];
	}
	trace->length_ns = trace->over ? options->duration_ns : last + SHARE_NS;
}

static int schedule(struct trace *trace, const struct captured_flow *flow, struct fault *fault)
{
	uint32_t count = trace->packets * trace->options.clones;
	struct trace_entry *all = calloc(count, sizeof(*all));
	int error = 0;

	for (int way = 0; way < WAYS; way++)
		trace->entry[way] = calloc(count, sizeof(*all));
	if (all && trace->entry[WAY_UP] && trace->entry[WAY_DOWN]) {
		list_entries(trace, flow, all);
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

/* What would have packets replayed that are left out. */
static int refuse(const struct trace *trace, const char *name, struct fault *fault)
{
	char reasons[128], fix[64] = "tcpdump -nr FILE shows what it holds";
	const char *key = "trace";

	switch (left_main(&trace->left)) {
	case PACKET_FAMILY:
		snprintf(fix, sizeof(fix), "replay its other IP version: family %d",
			 trace->options.family == 4 ? 6 : 4);
		key = "family";
		break;
	case PACKET_TOO_LONG:
		if (trace->left.longest > PACKET_MAX)
			snprintf(fix, sizeof(fix),
				 "%d is the most: capture on Ethernet, with gro off", PACKET_MAX);
		else
			snprintf(fix, sizeof(fix), "packet_most %u takes them, if the device does",
				 trace->left.longest);
		key = "packet_most";
		break;
	case PACKET_TIME:
		snprintf(fix, sizeof(fix), "give a rate: rate_pps");
		key = "rate_pps";
		break;
	case PACKET_SIDE:
		snprintf(fix, sizeof(fix), "give the LAN side's network: split, as 10.0.0.0/8");
		key = "split";
		break;
	default:
		break;
	}
	left_explain(&trace->left, reasons, sizeof(reasons));
	return fault_set(fault, -EINVAL, key, fix,
			 "%.60s: no packet of TCP or UDP over IPv%d in it that can be replayed: %s",
			 name, trace->options.family, reasons);
}

int trace_open(struct trace *trace, const struct trace_options *options, struct capture *capture,
	       struct fault *fault)
{
	struct reader reader = { .trace = trace };
	int error;

	*trace = (struct trace){ .options = *options, .left.packet_most = options->packet_most };
	numbers_open(&reader.flows, sizeof(struct flow_key));
	numbers_open(&reader.hosts, 16);
	error = read_packets(&reader, capture, fault);
	if (!error && !trace->packets)
		error = refuse(trace, capture->name, fault);
	if (!error && options->rate_pps <= 0)
		error = check_times(trace, fault);
	if (!error)
		error = cut_packets(&reader, capture, fault);
	if (!error)
		error = make_flows(&reader, fault);
	if (!error)
		error = schedule(trace, reader.flow, fault);
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
