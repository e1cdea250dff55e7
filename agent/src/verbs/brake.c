// SPDX-License-Identifier: Apache-2.0
/*
 * brake: makes a namespace gateway slow. Loads bpf/brake.bpf.c and attaches it at the clsact
 * hooks of each device until stdin is closed.
 */
#include "bpf/brake.h"
#include "kernel/bpf.h"
#include "kernel/bpf_object.h"
#include "kernel/device.h"
#include "kernel/netlink.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct brake_request {
	struct job job;
	struct texts devices;
	int64_t wait_ns;
	unsigned int hooks; /* bits of enum clsact_hook; none: ingress */
};

static const char *const hook_names[] = { "ingress", "egress", NULL };

static const struct key brake_keys[] = {
	KEY(brake_request, devices, TEXTS, .required = true,
	    .help = "list of interfaces whose packets wait"),
	KEY(brake_request, wait_ns, INTEGER, .required = true, .max = BRAKE_WAIT_MOST_NS,
	    .help = "wait for each packet, 0 to 10 000 000"),
	KEY(brake_request, hooks, CHOICES, .choices = hook_names,
	    .help = "where packets wait: ingress, egress or both; ingress if left out"),
	{ 0 },
};

struct brake {
	const struct brake_request *request;
	struct talk *talk;
	struct bpf_map wait, packets;
	int program;
	int *device; /* as requested: index of one that carries the brake, or 0 */
};

static const uint32_t key_zero;

static int make_maps(struct brake *brake, struct fault *fault)
{
	int error = bpf_map_create(&brake->wait, fault);

	return error ? error : bpf_map_create(&brake->packets, fault);
}

static int load(struct brake *brake, struct fault *fault)
{
	const struct bpf_map maps[] = { brake->wait, brake->packets };
	const struct bpf_program program = {
		.object = bpf_brake,
		.object_bytes = bpf_brake_bytes,
		.section = BRAKE_SECTION,
		.name = "gm_brake",
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.needs = "Linux 5.17",
		.maps = maps,
		.map_count = 2,
	};

	brake->program = bpf_program_load(&program, fault);
	return brake->program < 0 ? brake->program : 0;
}

static int set_wait(const struct brake *brake, int64_t wait_ns, struct fault *fault)
{
	uint64_t value = (uint64_t)wait_ns;
	int error = bpf_map_write(&brake->wait, &key_zero, &value);

	return error ? fault_system(fault, error, "wait_ns", "setting the wait") : 0;
}

static int attach_hooks(const struct brake *brake, int index)
{
	unsigned int hooks = brake->request->hooks ? brake->request->hooks : 1u << CLSACT_INGRESS;
	int error = 0;

	if (hooks & 1u << CLSACT_INGRESS)
		error = netlink_attach(index, CLSACT_INGRESS, brake->program, "gm_brake");
	if (!error && hooks & 1u << CLSACT_EGRESS)
		error = netlink_attach(index, CLSACT_EGRESS, brake->program, "gm_brake");
	return error;
}

/* *index is set once there is something to be taken off again. */
static int attach(const struct brake *brake, const char *name, int *index, struct fault *fault)
{
	struct device device;
	int error = device_find(&device, name, 0, "devices", fault);

	if (error)
		return error;
	error = netlink_add_clsact(device.index);
	if (error == -EEXIST)
		return fault_set(fault, error, "devices", "tc qdisc del dev NAME clsact",
				 "%s has a clsact qdisc already: a brake, or somebody else's",
				 name);
	if (error)
		return fault_system(fault, error, "devices", "adding a clsact qdisc");
	*index = device.index;
	error = attach_hooks(brake, device.index);
	return error ? fault_system(fault, error, "devices", "attaching the brake") : 0;
}

static int attach_all(struct brake *brake, struct fault *fault)
{
	const struct texts *names = &brake->request->devices;

	if (!names->count)
		return fault_set(fault, -EINVAL, "devices", "name one", "the list is empty");
	brake->device = calloc(names->count, sizeof(*brake->device));
	if (!brake->device)
		return fault_system(fault, -ENOMEM, "devices", "the list of devices");
	for (size_t i = 0; i < names->count; i++) {
		int error = attach(brake, names->item[i], &brake->device[i], fault);

		if (error)
			return error;
	}
	return 0;
}

struct command {
	const char *cmd;
	int64_t wait_ns;
};

static const struct key command_keys[] = {
	KEY(command, cmd, TEXT, .required = true, .help = "set"),
	KEY(command, wait_ns, INTEGER, .preset = -1, .max = BRAKE_WAIT_MOST_NS,
	    .help = "wait for each packet"),
	{ 0 },
};

static int obey(struct brake *brake, char *text, struct fault *fault)
{
	struct line *line = &brake->talk->line;
	struct command command;
	int error = request_read(&command, text, command_keys, NULL, fault);

	if (error)
		return error;
	if (strcmp(command.cmd, "set") != 0 || command.wait_ns < 0)
		return fault_set(fault, -EINVAL, "cmd", "send {\"cmd\":\"set\",\"wait_ns\":N}",
				 "the brake only takes the command set, with wait_ns");
	error = set_wait(brake, command.wait_ns, fault);
	if (error)
		return error;
	line_begin(line, "set");
	line_integer(line, "wait_ns", command.wait_ns);
	line_end(line);
	return 0;
}

static int hold(struct brake *brake, struct fault *fault)
{
	char *text = NULL;
	int result;

	while ((result = talk_line(brake->talk, &text)) > 0) {
		int error = obey(brake, text, fault);

		free(text);
		if (error)
			return error;
	}
	return result ? fault_system(fault, result, NULL, "reading stdin") : 0;
}

static uint64_t count_packets(const struct brake *brake)
{
	unsigned int cpus = bpf_possible_cpus();
	uint64_t *value = calloc(cpus, sizeof(*value));
	uint64_t sum = 0;

	if (value && bpf_map_read(&brake->packets, &key_zero, value) == 0)
		for (unsigned int i = 0; i < cpus; i++)
			sum += value[i];
	free(value);
	return sum;
}

static int brake_job(struct brake *brake, struct fault *fault)
{
	int error = make_maps(brake, fault);

	if (!error)
		error = load(brake, fault);
	if (!error)
		error = set_wait(brake, brake->request->wait_ns, fault);
	if (!error)
		error = attach_all(brake, fault);
	if (error)
		return error;
	talk_ready(brake->talk, NULL, (int)brake->request->job.cpu);
	line_end(&brake->talk->line);
	return hold(brake, fault);
}

/* Also takes off what a failed start has put on. */
static void release(struct brake *brake)
{
	for (size_t i = 0; brake->device && i < brake->request->devices.count; i++)
		if (brake->device[i])
			netlink_remove_clsact(brake->device[i]);
	free(brake->device);
	if (brake->program >= 0)
		close(brake->program);
	if (brake->wait.fd >= 0)
		close(brake->wait.fd);
	if (brake->packets.fd >= 0)
		close(brake->packets.fd);
}

static int brake_run(struct talk *talk, const void *request, struct fault *fault)
{
	struct brake brake = {
		.request = request,
		.talk = talk,
		.wait = { .name = BRAKE_WAIT,
			  .type = BPF_MAP_TYPE_ARRAY,
			  .key_bytes = sizeof(key_zero),
			  .value_bytes = 8,
			  .entries = 1,
			  .fd = -1 },
		.packets = { .name = BRAKE_PACKETS,
			     .type = BPF_MAP_TYPE_PERCPU_ARRAY,
			     .key_bytes = sizeof(key_zero),
			     .value_bytes = 8,
			     .entries = 1,
			     .fd = -1 },
		.program = -1,
	};
	uint64_t packets = 0;
	int error = brake_job(&brake, fault);

	if (!error)
		packets = count_packets(&brake);
	release(&brake);
	if (error)
		return error;
	line_begin(&talk->line, "done");
	line_count(&talk->line, "packets", packets);
	line_end(&talk->line);
	return 0;
}

const struct verb verb_brake = {
	.name = "brake",
	.help = "makes each packet at some interfaces wait",
	.keys = brake_keys,
	.request_bytes = sizeof(struct brake_request),
	.run = brake_run,
};
