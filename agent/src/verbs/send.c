// SPDX-License-Identifier: Apache-2.0
/*
 * send: UDP packets of the test header, at a rate or as fast as it goes, for a time or a count.
 * What can be asked for and what is reported; sender.c does it.
 */
#include "lib/address.h"
#include "lib/clock.h"
#include "lib/tell.h"
#include "verbs/sender.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>

#define BURST_FROM_PPS 500000
#define BURST 32

struct send_request {
	struct job job;
	int port;
	const char *device;
	int64_t family;
	const char *src, *dst, *dst_mac;
	struct integers src_port, dst_port;
	int64_t flows;
	struct integers frame_bytes;
	double rate_pps;
	int64_t duration_ms;
	int64_t packets;
	int64_t burst;
	int64_t run;
	double cap_pps;
};

static const struct port_kind *const ports[] = { &port_raw, &port_udp_send };
static const char *const port_names[] = { "raw", "udp", NULL };

static const struct key send_keys[] = {
	KEY(send_request, port, CHOICE, .required = true, .choices = port_names,
	    .help = "raw: AF_PACKET; udp: a plain socket"),
	KEY(send_request, device, TEXT, .required = true, .help = "interface to send from"),
	KEY(send_request, family, INTEGER, .required = true, .min = 4, .max = 6, .help = "4 or 6"),
	KEY(send_request, src, TEXT, .required = true, .help = "source address"),
	KEY(send_request, dst, TEXT, .required = true, .help = "destination address"),
	KEY(send_request, dst_mac, TEXT,
	    .help = "next hop's MAC address; raw only, and there required"),
	KEY(send_request, src_port, INTEGERS, .required = true, .min = 1, .max = 65535,
	    .help = "source port, or a list: one for each flow"),
	KEY(send_request, dst_port, INTEGERS, .required = true, .min = 1, .max = 65535,
	    .help = "destination port, or a list: one for each flow"),
	KEY(send_request, flows, INTEGER, .preset = 1, .min = 1, .max = 65536,
	    .help = "flows that take turns, packet by packet"),
	KEY(send_request, frame_bytes, INTEGERS, .required = true, .min = 64, .max = FRAME_MAX,
	    .help = "frame with FCS, 64 (IPv6: 80) to 9018, or a list to cycle through"),
	KEY(send_request, rate_pps, NUMBER, .max = 100000000,
	    .help = "packets a second; 0: as fast as it goes"),
	KEY(send_request, duration_ms, INTEGER, .required = true, .min = 1, .max = 3600000,
	    .help = "how long to send"),
	KEY(send_request, packets, INTEGER, .max = INT64_MAX,
	    .help = "stop after so many; 0: no bound"),
	KEY(send_request, burst, INTEGER, .max = PORT_BURST_MAX,
	    .help = "packets a system call; 0: 1 below 500 000 packets/s, else 32"),
	KEY(send_request, run, INTEGER, .required = true, .max = 255,
	    .help = "goes into every header; the sink takes only its own"),
	KEY(send_request, cap_pps, NUMBER, .max = 100000000,
	    .help = "hold the sender below its own schedule (plants a slow tester); 0: no"),
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

static int check(const struct send_request *request, struct fault *fault)
{
	int error = family_check(request->family, "family", fault);

	if (!error)
		error = check_ports(&request->src_port, request->flows, "src_port", fault);
	if (!error)
		error = check_ports(&request->dst_port, request->flows, "dst_port", fault);
	if (!error)
		error = check_sizes(request, fault);
	if (error)
		return error;
	if (ports[request->port] == &port_raw && !request->dst_mac)
		return fault_set(fault, -EINVAL, "dst_mac", "ip neigh shows it",
				 "the raw port needs the next hop's MAC address");
	if (ports[request->port] != &port_raw && request->dst_mac)
		return fault_set(fault, -EINVAL, "dst_mac", "leave it out, or use the raw port",
				 "only the raw port takes a MAC address");
	return 0;
}

static unsigned int burst_of(const struct send_request *request)
{
	if (request->burst)
		return (unsigned int)request->burst;
	return request->rate_pps > 0 && request->rate_pps < BURST_FROM_PPS ? 1 : BURST;
}

static uint32_t largest(const struct integers *list)
{
	int32_t most = 0;

	for (size_t i = 0; i < list->count; i++)
		most = list->item[i] > most ? list->item[i] : most;
	return (uint32_t)most;
}

static int open_port(struct sender *sender, const struct send_request *request, struct fault *fault)
{
	struct port_options options = {
		.device = request->device,
		.family = (int)request->family,
		.source = request->src,
		.destination = request->dst,
		.next_mac = request->dst_mac,
		.source_ports = request->src_port,
		.destination_ports = request->dst_port,
		.frame_most = largest(&request->frame_bytes),
		.burst = sender->options.burst,
		.paced = sender->options.rate_pps > 0,
	};

	sender->port.kind = ports[request->port];
	return sender->port.kind->open(&sender->port, &options, fault);
}

static void tell_errors(struct line *line, const struct port_tally *tally)
{
	line_object(line, "errors");
	for (int i = 0; i < PORT_ERRORS; i++)
		if (tally->errors[i])
			line_count(line, port_errors[i].name, tally->errors[i]);
	line_close(line, '}');
}

/* Packets go round robin, so the count alone says how many each flow had. */
static void tell_flows(struct line *line, const struct sender *sender)
{
	uint32_t flows = sender->options.flows;

	line_list(line, "tried_by_flow");
	for (uint32_t i = 0; i < flows; i++)
		line_count(line, NULL, sender->tried / flows + (i < sender->tried % flows));
	line_close(line, ']');
}

static void tell_done(const struct sender *sender, uint64_t cpu_ns)
{
	struct line *line = &sender->talk->line;

	line_begin(line, "done");
	line_count(line, "t0_ns", sender->t0_ns);
	line_count(line, "t1_ns", sender->t1_ns);
	line_count(line, "scheduled", sender->scheduled);
	line_count(line, "tried", sender->tried);
	line_count(line, "sent", sender->tally.sent);
	line_count(line, "refused", sender->tally.refused);
	tell_errors(line, &sender->tally);
	line_count(line, "calls", sender->tally.calls);
	line_count(line, "burst", sender->options.burst);
	tell_flows(line, sender);
	line_count(line, "frame_bytes_tried", sender->bytes);
	if (sender->options.rate_pps > 0)
		tell_quantiles(line, "late_ns", &sender->late);
	line_count(line, "gaps_over_1ms", sender->gaps_over_1ms);
	line_count(line, "cpu_ns", cpu_ns);
	line_end(line);
}

static struct sender_options options_of(const struct send_request *request)
{
	return (struct sender_options){
		.source_ports = request->src_port,
		.destination_ports = request->dst_port,
		.frame_bytes = request->frame_bytes,
		.flows = (uint32_t)request->flows,
		.run = (uint8_t)request->run,
		.burst = burst_of(request),
		.rate_pps = request->rate_pps,
		.cap_pps = request->cap_pps,
		.duration_ns = (uint64_t)request->duration_ms * NS_PER_MS,
		.packets = (uint64_t)request->packets,
		.tick_ns = (uint64_t)request->job.tick_ms * NS_PER_MS,
	};
}

static int send_job(struct sender *sender, const struct send_request *request, struct fault *fault)
{
	uint64_t cpu_ns;
	int error = open_port(sender, request, fault);

	if (error)
		return error;
	talk_ready(sender->talk, sender->port.kind->name, (int)request->job.cpu);
	line_end(&sender->talk->line);
	error = talk_start(sender->talk, fault);
	if (error)
		return error;
	clock_sharpen();
	cpu_ns = clock_cpu();
	sender_run(sender);
	tell_done(sender, clock_cpu() - cpu_ns);
	return 0;
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
	error = send_job(sender, request, fault);
	if (sender->port.kind)
		sender->port.kind->close(&sender->port);
	free(sender);
	return error;
}

const struct verb verb_send = {
	.name = "send",
	.help = "sends UDP test packets, at a rate or as fast as it goes",
	.keys = send_keys,
	.request_bytes = sizeof(struct send_request),
	.run = send_run,
};
