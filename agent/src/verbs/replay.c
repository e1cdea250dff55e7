// SPDX-License-Identifier: Apache-2.0
/*
 * replay: one side of a captured conversation, sent at the times of the capture. The keys of
 * the request and the report; replay/player.c does the work.
 */
#include "count/report.h"
#include "frame/address.h"
#include "frame/frame.h"
#include "kernel/device.h"
#include "port/socket.h"
#include "replay/file.h"
#include "replay/open.h"
#include "replay/player.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LEAD_NS (10 * NS_PER_MS) /* from the start event, where start gives no time */

enum side { SIDE_LAN, SIDE_WAN, SIDE_NONE };

struct replay_request {
	struct job job;
	const char *trace;
	int side;
	int ways;
	const char *split;
	const char *device;
	const char *dst_mac;
	int64_t family;
	const char *client;
	int64_t clients;
	const char *far;
	const char *mask;
	int64_t clones;
	int64_t stagger_us;
	double speed;
	double rate_pps;
	int64_t duration_ms;
	int64_t packet_most;
	int64_t bin_ms;
	int64_t ring_bytes;
	int64_t shared;
	int64_t dscp;
};

enum { WAYS_BOTH, WAYS_UP, WAYS_DOWN };

static const char *const side_names[] = { "lan", "wan", "none", NULL };
static const char *const ways_names[] = { "both", "up", "down", NULL };

static const struct key replay_keys[] = {
	KEY(replay_request, trace, TEXT, .required = true, .help = "a pcap or pcapng file"),
	KEY(replay_request, side, CHOICE, .required = true, .choices = side_names,
	    .help = "the side of the trace to be: lan or wan; none: only read it"),
	KEY(replay_request, ways, CHOICE, .choices = ways_names,
	    .help = "which directions are replayed: both, up (from the LAN side) or down"),
	KEY(replay_request, split, TEXT,
	    .help = "the LAN side: auto, client, private, or a network such as 10.0.0.0/8"),
	KEY(replay_request, device, TEXT, .help = "interface of this side"),
	KEY(replay_request, dst_mac, TEXT, .help = "next hop's MAC address"),
	KEY(replay_request, family, INTEGER, .required = true, .min = 4, .max = 6,
	    .help = "4 or 6: packets of the other are left out"),
	KEY(replay_request, client, TEXT,
	    .help = "address of the first LAN client; the next ones follow it"),
	KEY(replay_request, clients, INTEGER, .preset = 1, .min = 1, .max = 65536,
	    .help = "LAN clients that stand for the trace's hosts"),
	KEY(replay_request, far, TEXT, .help = "address of the far side"),
	KEY(replay_request, mask, TEXT,
	    .help = "address that the clients are masked with (masquerade); none: their own"),
	KEY(replay_request, clones, INTEGER, .preset = 1, .min = 1, .max = 10000,
	    .help = "flows made of each of the trace's"),
	KEY(replay_request, stagger_us, INTEGER, .max = 1000000,
	    .help = "how far each clone is behind the previous one"),
	KEY(replay_request, speed, NUMBER, .preset = 1, .max = 1000000,
	    .help = "factor on the trace's own timing"),
	KEY(replay_request, rate_pps, NUMBER, .max = 100000000,
	    .help = "packets a second of both directions instead; 0: the trace's timing"),
	KEY(replay_request, duration_ms, INTEGER, .required = true, .min = 1, .max = 3600000,
	    .help = "what is due later is left out"),
	KEY(replay_request, packet_most, INTEGER, .preset = 1500, .min = 576, .max = PACKET_MAX,
	    .help = "bytes of the largest IP packet; longer ones are left out"),
	KEY(replay_request, bin_ms, INTEGER, .preset = 10, .min = 1, .max = 10000,
	    .help = "bin of the rate over time"),
	KEY(replay_request, ring_bytes, INTEGER, .preset = 16 << 20, .min = 1 << 19, .max = 1 << 30,
	    .help = "room for packets that wait: size of the ring"),
	KEY(replay_request, shared, INTEGER, .max = 1,
	    .help = "1: others send on these devices: what the far address has no part in is not "
		    "seen"),
	KEY(replay_request, dscp, INTEGER, .max = MARK_MOST,
	    .help = "code point of all packets; 0: as each was captured"),
	{ 0 },
};

struct replay {
	const struct replay_request *request;
	struct talk *talk;
	struct file file;
	struct capture capture;
	struct trace trace;
	struct lab lab;
	struct player player;
	struct device device;
};

/* What a side needs; reading alone does not. */
static int check_side(const struct replay_request *request, struct fault *fault)
{
	const struct {
		const char *name, *given;
	} needed[] = {
		{ "device", request->device },
		{ "dst_mac", request->dst_mac },
		{ "client", request->client },
		{ "far", request->far },
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!needed[i].given && request->side != SIDE_NONE)
			return fault_set(fault, -EINVAL, needed[i].name,
					 "give it, or read the trace only: side none",
					 "%s is missing", needed[i].name);
	return 0;
}

static int check(const struct replay_request *request, struct fault *fault)
{
	int error = family_check(request->family, "family", fault);

	if (!error)
		error = check_side(request, fault);

	if (error)
		return error;
	if (request->speed <= 0)
		return fault_set(fault, -EINVAL, "speed", "1 for the trace's own timing",
				 "a speed of 0 would take forever");
	return 0;
}

static int open_lab(struct replay *replay, struct fault *fault)
{
	const struct replay_request *request = replay->request;
	struct lab *lab = &replay->lab;
	int error = device_find(&replay->device, request->device, 1, "device", fault);

	if (!error)
		error = device_carries(&replay->device,
				       (uint32_t)request->packet_most + ETHERNET_BYTES + FCS_BYTES,
				       "packet_most", fault);
	if (error)
		return error;
	lab->family = (int)request->family;
	lab->masked = request->mask != NULL;
	memcpy(lab->source_mac, replay->device.mac, sizeof(lab->source_mac));
	error = mac_parse(request->dst_mac, lab->next_mac, "dst_mac", fault);
	if (!error)
		error = address_parse(lab->family, request->client, lab->client, "client", fault);
	if (!error)
		error = address_parse(lab->family, request->far, lab->far, "far", fault);
	if (!error && lab->masked)
		error = address_parse(lab->family, request->mask, lab->mask, "mask", fault);
	return error;
}

static int open_trace(struct replay *replay, struct fault *fault)
{
	const struct replay_request *request = replay->request;
	struct trace_options options = {
		.family = (int)request->family,
		.ways = { request->ways != WAYS_DOWN, request->ways != WAYS_UP },
		.clones = (uint32_t)request->clones,
		.clients = (uint32_t)request->clients,
		.stagger_ns = (uint64_t)request->stagger_us * NS_PER_US,
		.packet_most = (uint32_t)request->packet_most,
		.speed = request->speed,
		.rate_pps = request->rate_pps,
		.duration_ns = (uint64_t)request->duration_ms * NS_PER_MS,
		.mark = (uint8_t)request->dscp,
	};
	int error = split_parse(&options.split, request->split ? request->split : "auto", fault);

	if (!error)
		error = file_open(&replay->file, request->trace, fault);
	if (!error)
		error = capture_open(&replay->capture, request->trace, replay->file.bytes,
				     replay->file.size, fault);
	return error ? error : trace_open(&replay->trace, &options, &replay->capture, fault);
}

static int open_player(struct replay *replay, struct fault *fault)
{
	const struct replay_request *request = replay->request;
	struct player *player = &replay->player;
	struct inlet_options inlet = {
		.device_index = replay->device.index,
		.family = replay->lab.family,
		.packet_most = (uint32_t)request->packet_most,
		.ring_bytes = (size_t)request->ring_bytes,
		.far = request->shared ? replay->lab.far : NULL,
		.from_far = request->side == SIDE_LAN,
	};
	int error;

	player->shared = request->shared;
	player->talk = replay->talk;
	player->trace = &replay->trace;
	player->way = request->side == SIDE_LAN ? WAY_UP : WAY_DOWN;
	player->masked = replay->lab.masked && player->way == WAY_DOWN;
	player->tick_every_ns = (uint64_t)request->job.tick_ms * NS_PER_MS;
	error = frames_open(&player->frames, &replay->trace, &replay->lab, player->way, fault);
	if (!error)
		error = arrive_open(&player->arrive, &replay->trace, &replay->lab,
				    player->way == WAY_UP ? WAY_DOWN : WAY_UP,
				    (uint64_t)request->bin_ms * NS_PER_MS, fault);
	if (!error)
		error = player_open(player, fault);
	if (!error)
		error = inlet_open(&player->inlet, &inlet, fault);
	if (error)
		return error;
	player->fd = socket_open_raw(replay->device.index, true, fault);
	return player->fd < 0 ? player->fd : 0;
}

static void report_reason(void *line, const char *reason, uint64_t packets)
{
	line_count(line, reason, packets);
}

/* What of the capture is replayed, and what is not. */
static void report_left(struct line *line, const struct trace *trace)
{
	const struct left *left = &trace->left;

	line_count(line, "packets", left->read - trace->unasked);
	line_count(line, "bytes", left->read_bytes - trace->unasked_bytes);
	line_count(line, "late", trace->late);
	line_count(line, "late_bytes", trace->late_bytes);
	line_count(line, "left_out_bytes", left->bytes);
	line_object(line, "left_out");
	left_each(left, report_reason, line);
	line_close(line, '}');
}

static void report_ready(const struct replay *replay)
{
	struct line *line = &replay->talk->line;
	const struct trace *trace = &replay->trace;

	talk_ready(replay->talk, "raw", (int)replay->request->job.cpu);
	line_count(line, "up", trace->entries[WAY_UP]);
	line_count(line, "down", trace->entries[WAY_DOWN]);
	line_count(line, "flows", trace->flows);
	line_count(line, "hosts", trace->hosts);
	line_count(line, "length_ns", trace->length_ns);
	line_count(line, "padded", trace->padded);
	line_count(line, "over", trace->over);
	line_count(line, "cut", trace->cut);
	report_left(line, trace);
	line_end(line);
}

static void report_sent(const struct player *player)
{
	struct line *line = &player->talk->line;

	line_begin(line, "sent");
	line_count(line, "t_ns", clock_now());
	line_end(line);
}

/* The packets that this side sent, by number. */
static void report_departures(struct line *line, const struct player *player)
{
	uint32_t count = player->trace->entries[player->way];

	line_list(line, "tried_by_flow");
	for (uint32_t i = 0; i < player->trace->flows; i++)
		line_count(line, NULL, player->tried_by_flow[i]);
	line_close(line, ']');
	if (count > ARRIVE_COLUMNS_MAX)
		return;
	line_object(line, "packet");
	line_list(line, "flow");
	for (uint32_t i = 0; i < count; i++)
		line_count(line, NULL, player->trace->entry[player->way][i].flow);
	line_close(line, ']');
	line_list(line, "sent_ns");
	for (uint32_t i = 0; i < count; i++)
		line_integer(line, NULL, player->sent_ns[i]);
	line_close(line, ']');
	line_close(line, '}');
}

static void report_sender(struct line *line, const struct player *player)
{
	line_object(line, "sender");
	line_count(line, "scheduled", player->trace->entries[player->way]);
	line_count(line, "tried", player->tried);
	line_count(line, "sent", player->tally.sent);
	line_count(line, "refused", player->tally.refused);
	port_report_errors(line, &player->tally);
	line_count(line, "calls", player->tally.calls);
	line_count(line, "held", player->held);
	line_count(line, "frame_bytes_tried", player->bytes);
	histogram_report_quantiles(&player->late, line, "late_ns");
	line_count(line, "gaps_over_1ms", player->gaps_over_1ms);
	report_departures(line, player);
	line_close(line, '}');
}

/* The packets of the other side, in order of arrival. */
static void report_arrivals(struct line *line, const struct arrive *arrive)
{
	line_object(line, "flow");
	line_list(line, "unique");
	for (uint32_t i = 0; i < arrive->trace->flows; i++)
		line_count(line, NULL, arrive->flow[i].unique);
	line_close(line, ']');
	line_list(line, "port");
	for (uint32_t i = 0; i < arrive->trace->flows; i++)
		line_count(line, NULL, arrive->flow[i].port);
	line_close(line, ']');
	line_close(line, '}');
	if (!arrive->number)
		return;
	line_object(line, "packet");
	line_list(line, "number");
	for (uint64_t i = 0; i < arrive->unique; i++)
		line_count(line, NULL, arrive->number[i]);
	line_close(line, ']');
	line_list(line, "arrival_ns");
	for (uint64_t i = 0; i < arrive->unique; i++)
		line_count(line, NULL, arrive->time_ns[i]);
	line_close(line, ']');
	line_close(line, '}');
}

#define TOTAL(name) { #name, offsetof(struct arrive, name) },

static const struct line_field totals[] = { REPLAY_COUNTERS(TOTAL, TOTAL) };

static void report_sink(struct line *line, const struct player *player)
{
	const struct arrive *arrive = &player->arrive;

	line_object(line, "sink");
	line_counts(line, arrive, totals, sizeof(totals) / sizeof(totals[0]));
	histogram_report(&arrive->behind, line, "behind_ns");
	histogram_report(&arrive->gap, line, "gap_ns");
	bins_report(&arrive->rate, line, "rate", "packets");
	report_arrivals(line, arrive);
	line_close(line, '}');
}

static void report_done(const struct player *player, uint64_t cpu_ns)
{
	struct line *line = &player->talk->line;

	line_begin(line, "done");
	line_count(line, "t0_ns", player->t0_ns);
	line_count(line, "t1_ns", player->t1_ns);
	line_count(line, "cpu_ns", cpu_ns);
	report_sender(line, player);
	report_sink(line, player);
	line_end(line);
}

/* Only reports what is in the trace. */
static int read_job(struct replay *replay, struct fault *fault)
{
	int error = open_trace(replay, fault);

	if (error)
		return error;
	report_ready(replay);
	line_begin(&replay->talk->line, "done");
	line_end(&replay->talk->line);
	return 0;
}

static int replay_job(struct replay *replay, struct fault *fault)
{
	struct player *player = &replay->player;
	int64_t t0_us = 0;
	uint64_t cpu_ns;
	int error = open_lab(replay, fault);

	if (!error)
		error = open_trace(replay, fault);
	if (!error)
		error = open_player(replay, fault);
	if (error)
		return error;
	report_ready(replay);
	error = talk_start_at(replay->talk, &t0_us, fault);
	if (error)
		return error;
	clock_sharpen();
	cpu_ns = clock_cpu();
	player->t0_ns = t0_us ? (uint64_t)t0_us * NS_PER_US : clock_now() + LEAD_NS;
	player->arrive.t0_ns = player->t0_ns;
	player->arrive.rate.t0_ns = player->t0_ns;
	if (player_send(player))
		report_sent(player);
	player_listen(player);
	player->arrive.ring_dropped = player->inlet.dropped;
	player->arrive.clock_stepped_ns = player->inlet.step.stepped_ns;
	report_done(player, clock_cpu() - cpu_ns);
	return 0;
}

static int replay_run(struct talk *talk, const void *given, struct fault *fault)
{
	const struct replay_request *request = given;
	struct replay *replay;
	int error = check(request, fault);

	if (error)
		return error;
	replay = calloc(1, sizeof(*replay));
	if (!replay)
		return fault_system(fault, -ENOMEM, NULL, "the replay");
	replay->request = request;
	replay->talk = talk;
	replay->player.fd = -1;
	replay->player.inlet.fd = -1;
	error = request->side == SIDE_NONE ? read_job(replay, fault) : replay_job(replay, fault);
	inlet_close(&replay->player.inlet);
	player_close(&replay->player);
	arrive_close(&replay->player.arrive);
	frames_close(&replay->player.frames);
	trace_close(&replay->trace);
	capture_close(&replay->capture);
	file_close(&replay->file);
	free(replay);
	return error;
}

const struct verb verb_replay = {
	.name = "replay",
	.help = "replays one side of a capture and accounts for what arrives from the other",
	.keys = replay_keys,
	.request_bytes = sizeof(struct replay_request),
	.needs = SANDBOX_SOCKETS,
	.run = replay_run,
};
