// SPDX-License-Identifier: Apache-2.0
/*
 * The live port: a BPF program makes, stamps and paces the frames inside the kernel and redirects
 * them out of the device (bpf/live.bpf.c). Opening it loads the program, fills its maps and tries
 * whether the device takes such frames.
 */
#include "port/live.h"
#include "kernel/bpf_object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * What fits into a page on any machine, besides its head, the headroom and skb_shared_info. (The
 * kernel's own test has 3408 bytes for x86-64, 3216 for s390x:
 * selftests/bpf/prog_tests/xdp_do_redirect.c.)
 */
#define FRAME_MOST 3200

#define LOOPBACK 1 /* its index, in every namespace (LOOPBACK_IFINDEX) */

static const uint32_t key_zero;

static struct bpf_map array(const char *name, size_t value_bytes, size_t entries)
{
	return (struct bpf_map){ .name = name,
				 .type = BPF_MAP_TYPE_ARRAY,
				 .key_bytes = sizeof(key_zero),
				 .value_bytes = (uint32_t)value_bytes,
				 .entries = (uint32_t)entries,
				 .fd = -1 };
}

static int make_maps(struct live *live, const struct port_options *options, struct fault *fault)
{
	const struct bpf_map wanted[LIVE_MAPS] = {
		[LIVE_MAP_PLAN] = array(LIVE_PLAN, sizeof(struct live_plan), 1),
		[LIVE_MAP_STATE] = array(LIVE_STATE, sizeof(struct live_state), 1),
		[LIVE_MAP_FLOW] = array(LIVE_FLOW, sizeof(struct live_flow), options->flows),
		[LIVE_MAP_SIZE] = array(LIVE_SIZE, 4, options->frame_bytes.count),
		[LIVE_MAP_LATE] = array(LIVE_LATE, sizeof(struct histogram), 1),
		[LIVE_MAP_PAUSE] = array(LIVE_PAUSE, sizeof(struct live_pause), LIVE_PAUSES),
	};
	int error = 0;

	memcpy(live->map, wanted, sizeof(wanted));
	for (int i = 0; !error && i < LIVE_MAPS; i++)
		error = bpf_map_create(&live->map[i], fault);
	return error;
}

static int load(struct live *live, const char *section, const char *name, struct fault *fault)
{
	const struct bpf_program program = {
		.object = bpf_live,
		.object_bytes = bpf_live_bytes,
		.section = section,
		.name = name,
		.type = BPF_PROG_TYPE_XDP,
		.needs = "Linux 5.18",
		.maps = live->map,
		.map_count = LIVE_MAPS,
	};

	return bpf_program_load(&program, fault);
}

static int load_programs(struct live *live, struct fault *fault)
{
	live->program = load(live, LIVE_SECTION, "gm_live", fault);
	if (live->program < 0)
		return live->program;
	live->probe = load(live, LIVE_PROBE_SECTION, "gm_live_probe", fault);
	return live->probe < 0 ? live->probe : 0;
}

static uint16_t port_of(const struct integers *list, uint32_t flow)
{
	return (uint16_t)list->item[list->count > 1 ? flow : 0];
}

static int write_flows(const struct live *live, const struct port_options *options)
{
	for (uint32_t i = 0; i < options->flows; i++) {
		const struct live_flow flow = {
			.source_port = port_of(&options->source_ports, i),
			.destination_port = port_of(&options->destination_ports, i),
			.source_step = hop_step(i, options->source_count),
			.destination_step = hop_step(i, options->destination_count),
		};
		int error = bpf_map_write(&live->map[LIVE_MAP_FLOW], &i, &flow);

		if (error)
			return error;
	}
	return 0;
}

static int write_sizes(const struct live *live, const struct integers *sizes)
{
	for (uint32_t i = 0; i < sizes->count; i++) {
		uint32_t bytes = (uint32_t)sizes->item[i] - FCS_BYTES;
		int error = bpf_map_write(&live->map[LIVE_MAP_SIZE], &i, &bytes);

		if (error)
			return error;
	}
	return 0;
}

/* The headers as frame_build() makes them for the other ports. */
static void plan_frames(struct live *live, const struct port_options *options)
{
	struct live_plan *plan = &live->plan;
	struct frame frame;

	frame_build(&frame, &live->hop.route, live->frame);
	memcpy(plan->ethernet, live->frame, sizeof(plan->ethernet));
	memcpy(plan->ip, live->frame + ETHERNET_BYTES, sizeof(plan->ip));
	plan->ip_sum = frame.ip_sum;
	plan->udp_sum = frame.udp_sum;
	plan->family = (uint32_t)options->family;
	plan->device = (uint32_t)live->hop.device.index;
	order_begin(&plan->order, &live->first, options->seed, options->flows);
	plan->sizes = (uint32_t)options->frame_bytes.count;
	plan->burst = options->burst;
	plan->run = options->run;
	plan->keyed = options->key != NULL;
	if (options->key)
		plan->key = *options->key;
}

/* Of the largest size; frame_build() wants room for the largest of all. */
static int make_frame(struct live *live, const struct port_options *options, struct fault *fault)
{
	live->frame_bytes = options->frame_most - FCS_BYTES;
	if (live->frame_bytes > FRAME_MOST)
		return fault_set(fault, -ENOTSUP, "frame_bytes", "send smaller frames, or use raw",
				 "a live frame has %d bytes at most, with FCS",
				 FRAME_MOST + FCS_BYTES);
	live->frame = calloc(1, FRAME_MAX);
	return live->frame ? 0 : fault_system(fault, -ENOMEM, NULL, "a frame");
}

static int fill_maps(struct live *live, const struct port_options *options, struct fault *fault)
{
	int error = write_flows(live, options);

	if (!error)
		error = write_sizes(live, &options->frame_bytes);
	if (!error)
		error = bpf_map_write(&live->map[LIVE_MAP_PLAN], &key_zero, &live->plan);
	return error ? fault_system(fault, error, "port", "filling the BPF maps") : 0;
}

/*
 * Each run of the program waits for RCU as it goes in and out of XDP's dispatcher (live_run.c). A
 * program that is attached somewhere stays in it: then it goes in while the sink gets ready too, and
 * out when the report is on its way. It is attached to lo, so what goes over lo meanwhile is dropped
 * or counted as sent: whoever asks for it knows that lo is silent.
 */
static int hold(struct live *live, const struct port_options *options, struct fault *fault)
{
	if (!options->lo_is_silent)
		return 0;
	live->held = bpf_attach_xdp(live->program, LOOPBACK, "lo", BPF_XDP_GENERIC, fault);
	if (live->held == -EBUSY && options->takes_turns)
		return fault_set(fault, -EBUSY, "turns",
				 "put each sender in a namespace of its own",
				 "another live sender takes turns here");
	return live->held < 0 && options->takes_turns ? live->held : 0;
}

static int open_programs(struct live *live, const struct port_options *options, struct fault *fault)
{
	int error = make_maps(live, options, fault);

	if (!error)
		error = load_programs(live, fault);
	if (!error)
		error = hold(live, options, fault);
	if (!error)
		error = fill_maps(live, options, fault);
	return error ? error : live_try(live, fault);
}

static int live_open(struct port *port, const struct port_options *options, struct fault *fault)
{
	struct live *live = calloc(1, sizeof(*live));
	int error;

	port->state = live;
	if (!live)
		return fault_system(fault, -ENOMEM, NULL, "the live port");
	live->program = live->probe = live->held = -1;
	for (int i = 0; i < LIVE_MAPS; i++)
		live->map[i].fd = -1;
	error = hop_find(&live->hop, options, fault);
	if (!error)
		error = make_frame(live, options, fault);
	if (error)
		return error;
	plan_frames(live, options);
	return port_unfit(open_programs(live, options, fault));
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void live_close(struct port *port)
{
	struct live *live = port->state;

	if (!live)
		return;
	close_fd(live->held);
	close_fd(live->program);
	close_fd(live->probe);
	for (int i = 0; i < LIVE_MAPS; i++)
		close_fd(live->map[i].fd);
	free(live->frame);
	free(live);
	port->state = NULL;
}

const struct port_kind port_live = {
	.name = "live",
	.makes_frames = true,
	.burst = 64,
	.needs = SANDBOX_BPF | SANDBOX_NETLINK | SANDBOX_THREAD,
	.burst_from_pps = 1000000,
	.open = live_open,
	.begin = live_begin,
	.advance = live_advance,
	.end = live_end,
	.account = live_account,
	.close = live_close,
};
