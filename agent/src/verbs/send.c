// SPDX-License-Identifier: Apache-2.0
/*
 * send: UDP packets with the test header, at a rate or as fast as it goes, for a time or a count.
 * The keys of the request and the report; udp/sender.c does the work.
 */
#include "count/report.h"
#include "frame/address.h"
#include "frame/mark.h"
#include "frame/tagged.h"
#include "time/clock.h"
#include "udp/sender.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS_MOST 100000
#define ADDRESSES_MOST 250

struct send_request {
	struct job job;
	int port;
	const char *device;
	int64_t family;
	const char *src, *dst, *dst_mac;
	int64_t src_count, dst_count;
	struct integers src_port, dst_port;
	int64_t flows;
	int64_t seed;
	struct integers frame_bytes;
	double rate_pps;
	int64_t duration_ms;
	int64_t packets;
	int64_t burst;
	int64_t run;
	const char *key;
	double cap_pps;
	int64_t dscp;
	int64_t rests;
	int64_t lo_is_silent;
	int64_t turns;
	int64_t turn;
	int64_t turn_us;
};

/* The ports that make frames come first, the best of them first; auto tries these. */
static const struct port_kind *const ports[] = { &port_live, &port_afxdp, &port_raw,
						 &port_udp_send };
static const char *const port_names[] = { "auto", "live", "afxdp", "raw", "udp", NULL };

#define AUTO 0 /* in port_names; the others follow in the order of ports */
#define FRAME_PORTS 3

/* Why auto did not take a port. */
struct passed_over {
	const char *name; /* NULL ends the list */
	char reason[sizeof(((struct fault *)NULL)->reason)];
};

static const struct key send_keys[] = {
	KEY(send_request, port, CHOICE, .required = true, .choices = port_names,
	    .help = "live, afxdp, raw: whole frames; auto: the first of these that works; udp: a "
		    "socket"),
	KEY(send_request, device, TEXT, .required = true, .help = "interface to send from"),
	KEY(send_request, family, INTEGER, .required = true, .min = 4, .max = 6, .help = "4 or 6"),
	KEY(send_request, src, TEXT, .required = true, .help = "source address"),
	KEY(send_request, dst, TEXT, .required = true, .help = "destination address"),
	KEY(send_request, dst_mac, TEXT, .help = "next hop's MAC address; required but for udp"),
	KEY(send_request, src_count, INTEGER, .preset = 1, .min = 1, .max = ADDRESSES_MOST,
	    .help = "source addresses, 1 to 250, that the flows step over, from src on"),
	KEY(send_request, dst_count, INTEGER, .preset = 1, .min = 1, .max = ADDRESSES_MOST,
	    .help = "the same for destinations, from dst on"),
	KEY(send_request, src_port, INTEGERS, .required = true, .min = 1, .max = 65535,
	    .help = "source port, or a list: one for each flow"),
	KEY(send_request, dst_port, INTEGERS, .required = true, .min = 1, .max = 65535,
	    .help = "destination port, or a list: one for each flow"),
	KEY(send_request, flows, INTEGER, .preset = 1, .min = 1, .max = FLOWS_MOST,
	    .help = "flows that take turns, packet by packet"),
	KEY(send_request, seed, INTEGER, .max = INT64_MAX,
	    .help = "draws the flows' order anew in each round; 0: the same in all"),
	KEY(send_request, frame_bytes, INTEGERS, .required = true, .min = 64, .max = FRAME_MAX,
	    .help = "frame with FCS, 64 (IPv6: 80) to 9018, or a list to cycle through"),
	KEY(send_request, rate_pps, NUMBER, .max = 100000000,
	    .help = "packets a second; 0: as fast as it goes"),
	KEY(send_request, duration_ms, INTEGER, .required = true, .min = 1, .max = 3600000,
	    .help = "how long to send"),
	KEY(send_request, packets, INTEGER, .max = INT64_MAX,
	    .help = "stop after so many; 0: no bound"),
	KEY(send_request, burst, INTEGER, .max = PORT_BURST_MAX,
	    .help = "packets that go together; 0: what suits the port and the rate"),
	KEY(send_request, run, INTEGER, .required = true, .max = 255,
	    .help = "goes into every header; the sink takes only its own"),
	KEY(send_request, key, TEXT,
	    .help = "32 hexadecimal digits: tags headers, in place of the run"),
	KEY(send_request, cap_pps, NUMBER, .max = 100000000,
	    .help = "hold the sender below its own schedule (plants a slow tester); 0: no"),
	KEY(send_request, dscp, INTEGER, .max = MARK_MOST, .help = "code point of the packets"),
	KEY(send_request, rests, INTEGER, .max = 1,
	    .help = "1: sleep until a packet is due, never spin"),
	KEY(send_request, lo_is_silent, INTEGER, .max = 1,
	    .help = "1: nothing else goes over lo here, which spares a live sender two waits"),
	KEY(send_request, turns, INTEGER, .max = 1000,
	    .help = "senders of this machine that take turns, at the maximum; 0: this one alone"),
	KEY(send_request, turn, INTEGER, .max = 999, .help = "which of them this is, from 0"),
	KEY(send_request, turn_us, INTEGER, .preset = 1000, .min = 100, .max = 1000000,
	    .help = "a turn; in its last fifth nobody sends"),
	{ 0 },
};

/* A list of ports has one for all flows, or one for each. */
static int check_ports(const struct integers *list, int64_t flows, const char *key,
		       struct fault *fault)
{
	if (list->count == 1 || (int64_t)list->count == flows)
		return 0;
	return fault_set(fault, -EINVAL, key, "give one port for all flows, or one for each",
			 "%zu ports for %lld flows", list->count, (long long)flows);
}

static int check_sizes(const struct send_request *request, struct fault *fault)
{
	int32_t least = (int32_t)frame_least((int)request->family);

	for (size_t i = 0; i < request->frame_bytes.count; i++)
		if (request->frame_bytes.item[i] < least)
			return fault_set(fault, -EINVAL, "frame_bytes", "send larger frames",
					 "frames of IPv%lld have %d bytes at least",
					 (long long)request->family, least);
	return request->frame_bytes.count ? 0
					  : fault_set(fault, -EINVAL, "frame_bytes", "give a size",
						      "the list is empty");
}

/* A socket finds its next hop itself, and has one address. */
static int check_hop(const struct send_request *request, struct fault *fault)
{
	bool frames = request->port == AUTO || ports[request->port - 1]->makes_frames;

	if (frames && !request->dst_mac)
		return fault_set(fault, -EINVAL, "dst_mac", "ip neigh shows it",
				 "the port %s needs the next hop's MAC address",
				 port_names[request->port]);
	if (!frames && request->dst_mac)
		return fault_set(fault, -EINVAL, "dst_mac", "leave it out, or use another port",
				 "the port udp takes no MAC address");
	if (!frames && (request->src_count > 1 || request->dst_count > 1))
		return fault_set(fault, -EINVAL, request->src_count > 1 ? "src_count" : "dst_count",
				 "use another port", "the port udp has one address on each side");
	return 0;
}

/* A schedule would fall behind while others have their turn. */
static int check_turns(const struct send_request *request, struct fault *fault)
{
	if (!request->turns)
		return 0;
	if (request->turn >= request->turns)
		return fault_set(fault, -EINVAL, "turn", "count from 0", "%lld of %lld senders",
				 (long long)request->turn, (long long)request->turns);
	if (request->rate_pps > 0 || request->cap_pps > 0)
		return fault_set(fault, -EINVAL, "turns", "leave rate_pps and cap_pps out",
				 "in turns a sender goes as fast as it can");
	return 0;
}

static int check(const struct send_request *request, struct fault *fault)
{
	int error = family_check(request->family, "family", fault);

	if (!error)
		error = check_ports(&request->src_port, request->flows, "src_port", fault);
	if (!error)
		error = check_ports(&request->dst_port, request->flows, "dst_port", fault);
	if (!error)
		error = check_sizes(request, fault);
	if (!error)
		error = check_turns(request, fault);
	if (error)
		return error;
	return check_hop(request, fault);
}

static unsigned int burst_of(const struct send_request *request, const struct port_kind *kind)
{
	if (request->burst)
		return (unsigned int)request->burst;
	return request->rate_pps > 0 && request->rate_pps < kind->burst_from_pps ? 1 : kind->burst;
}

static uint32_t largest(const struct integers *list)
{
	int32_t most = 0;

	for (size_t i = 0; i < list->count; i++)
		most = list->item[i] > most ? list->item[i] : most;
	return (uint32_t)most;
}

static int open_port(struct sender *sender, const struct send_request *request,
		     const struct port_kind *kind, struct fault *fault)
{
	struct port_options options = {
		.device = request->device,
		.family = (int)request->family,
		.source = request->src,
		.destination = request->dst,
		.source_count = (unsigned int)request->src_count,
		.destination_count = (unsigned int)request->dst_count,
		.next_mac = request->dst_mac,
		.source_ports = request->src_port,
		.destination_ports = request->dst_port,
		.frame_bytes = request->frame_bytes,
		.frame_most = largest(&request->frame_bytes),
		.flows = (uint32_t)request->flows,
		.seed = (uint64_t)request->seed,
		.run = (uint8_t)request->run,
		.mark = (uint8_t)request->dscp,
		.key = sender->options.keyed ? &sender->options.key : NULL,
		.burst = burst_of(request, kind),
		.paced = sender->options.rate_pps > 0,
		.takes_turns = request->turns > 0,
		.lo_is_silent = request->lo_is_silent || request->turns,
	};

	sender->options.burst = options.burst;
	sender->port = (struct port){ .kind = kind };
	return kind->open(&sender->port, &options, fault);
}

static void close_port(struct sender *sender)
{
	if (sender->port.kind)
		sender->port.kind->close(&sender->port);
	sender->port.kind = NULL;
}

/* All reasons, or the common one: an interface that is down, for example. */
static int refuse_all(const struct passed_over passed[FRAME_PORTS], int error, struct fault *fault)
{
	bool same = true;

	for (int i = 1; i < FRAME_PORTS; i++)
		same = same && strcmp(passed[i].reason, passed[0].reason) == 0;
	if (same)
		return error;
	return fault_set(fault, error, "port", "see the reasons, or use the port udp",
			 "%s: %.70s; %s: %.70s; %s: %.70s", passed[0].name, passed[0].reason,
			 passed[1].name, passed[1].reason, passed[2].name, passed[2].reason);
}

/* The first port that opens. A fault of the request itself is the same for each of them. */
static int open_best(struct sender *sender, const struct send_request *request,
		     struct passed_over passed[FRAME_PORTS], struct fault *fault)
{
	int error = -ENOTSUP;

	for (int i = 0; i < FRAME_PORTS; i++) {
		passed[i].name = ports[i]->name;
		error = open_port(sender, request, ports[i], fault);
		if (!error || error == -EINVAL) {
			passed[i].name = NULL;
			return error;
		}
		close_port(sender);
		snprintf(passed[i].reason, sizeof(passed[i].reason), "%s", fault->reason);
	}
	return refuse_all(passed, error, fault);
}

static void report_ready(const struct sender *sender, const struct send_request *request,
			 const struct passed_over *passed)
{
	struct line *line = &sender->talk->line;

	talk_ready(sender->talk, sender->port.kind->name, (int)request->job.cpu);
	if (sender->port.mode)
		line_text(line, "mode", sender->port.mode);
	line_object(line, "passed_over");
	for (; passed->name; passed++)
		line_text(line, passed->name, passed->reason);
	line_close(line, '}');
	line_end(line);
}

/* Each flow has a packet in each round, so the count alone gives the number of each flow. */
static void report_flows(struct line *line, const struct sender *sender)
{
	uint32_t flows = sender->options.flows;
	uint64_t tried = sender->done.tried;

	line_list(line, "tried_by_flow");
	for (uint32_t i = 0; i < flows; i++)
		line_count(line, NULL, order_count(&sender->order, tried, i));
	line_close(line, ']');
}

static void report_done(const struct sender *sender, uint64_t cpu_ns)
{
	const struct port_progress *done = &sender->done;
	struct line *line = &sender->talk->line;

	line_begin(line, "done");
	line_count(line, "t0_ns", done->t0_ns);
	line_count(line, "t1_ns", sender->t1_ns);
	line_count(line, "scheduled", sender->scheduled);
	line_count(line, "tried", done->tried);
	line_count(line, "sent", done->tally.sent);
	line_count(line, "refused", done->tally.refused);
	port_report_errors(line, &done->tally);
	line_count(line, "calls", done->tally.calls);
	line_count(line, "burst", sender->options.burst);
	report_flows(line, sender);
	line_count(line, "frame_bytes_tried", done->bytes);
	if (sender->options.rate_pps > 0)
		histogram_report_quantiles(&done->late, line, "late_ns");
	line_count(line, "gaps_over_1ms", done->gaps_over_1ms);
	sending_report(&sender->sending, line);
	line_object(line, "pauses");
	spans_report(&done->pauses, line);
	line_close(line, '}');
	line_count(line, "cpu_ns", cpu_ns);
	line_end(line);
}

static struct sender_options options_of(const struct send_request *request)
{
	return (struct sender_options){
		.source_ports = request->src_port,
		.destination_ports = request->dst_port,
		.frame_bytes = request->frame_bytes,
		.source_count = (unsigned int)request->src_count,
		.destination_count = (unsigned int)request->dst_count,
		.flows = (uint32_t)request->flows,
		.seed = (uint64_t)request->seed,
		.run = (uint8_t)request->run,
		.keyed = request->key,
		.rate_pps = request->rate_pps,
		.cap_pps = request->cap_pps,
		.rests = request->rests,
		.turn = { .of = (uint32_t)request->turns,
			  .at = (uint32_t)request->turn,
			  .length_ns = (uint64_t)request->turn_us * NS_PER_US },
		.duration_ns = (uint64_t)request->duration_ms * NS_PER_MS,
		.packets = (uint64_t)request->packets,
		.tick_ns = (uint64_t)request->job.tick_ms * NS_PER_MS,
	};
}

static int send_job(struct sender *sender, const struct send_request *request, struct fault *fault)
{
	struct passed_over passed[FRAME_PORTS + 1] = { 0 };
	uint64_t cpu_ns;
	int error;

	if (request->port == AUTO)
		error = open_best(sender, request, passed, fault);
	else
		error = open_port(sender, request, ports[request->port - 1], fault);
	if (error)
		return error;
	sender->talk->needs |= sender->port.kind->needs;
	report_ready(sender, request, passed);
	error = talk_start(sender->talk, fault);
	if (error)
		return error;
	clock_sharpen();
	cpu_ns = clock_cpu();
	error = sender_run(sender, fault);
	if (!error)
		report_done(sender, clock_cpu() - cpu_ns);
	return error;
}

static int send_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct send_request *request = given;
	struct sender *sender;
	int error = check(request, fault);

	if (error)
		return error;
	sender = calloc(1, sizeof(*sender));
	if (!sender)
		return fault_system(fault, -ENOMEM, NULL, "the sender");
	sender->options = options_of(request);
	sender->talk = talk;
	error = sending_open(&sender->sending, sender->options.duration_ns);
	if (error)
		error = fault_system(fault, error, "duration_ms", "memory for the time of sending");
	else if (request->key)
		error = tagged_key(request->key, &sender->options.key, fault);
	if (!error)
		error = send_job(sender, request, fault);
	sending_close(&sender->sending);
	close_port(sender);
	free(sender);
	return error;
}

const struct verb verb_send = {
	.name = "send",
	.help = "sends UDP test packets, at a rate or as fast as it goes",
	.keys = send_keys,
	.request_bytes = sizeof(struct send_request),
	.needs = SANDBOX_SOCKETS,
	.run = send_run,
};
