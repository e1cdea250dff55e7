// SPDX-License-Identifier: Apache-2.0
/*
 * slow: makes a namespace gateway slow. Loads bpf/slow.bpf.c and attaches it at the clsact
 * hooks of each device until stdin is closed.
 */
#include "bpf/slow.h"
#include "kernel/bpf.h"
#include "kernel/bpf_object.h"
#include "kernel/cpus.h"
#include "kernel/device.h"
#include "kernel/netlink.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct slow_request {
	struct job job;
	struct texts devices;
	int64_t wait_ns;
	unsigned int hooks; /* bits of enum clsact_hook; none: ingress */
};

static const char *const hook_names[] = { "ingress", "egress", NULL };

static const struct key slow_keys[] = {
	KEY(slow_request, devices, TEXTS, .required = true,
	    .help = "list of interfaces whose packets wait"),
	KEY(slow_request, wait_ns, INTEGER, .required = true, .max = SLOW_WAIT_MOST_NS,
	    .help = "wait for each packet, 0 to 10 000 000"),
	KEY(slow_request, hooks, CHOICES, .choices = hook_names,
	    .help = "where packets wait: ingress, egress or both; ingress if left out"),
	{ 0 },
};

struct slowdown {
	const struct slow_request *request;
	struct talk *talk;
	struct bpf_map wait, packets;
	unsigned int cpus;
	int program;
	int *device; /* as requested: index of one that carries the slowdown, or 0 */
};

static const uint32_t key_zero;

static int make_maps(struct slowdown *slowdown, struct fault *fault)
{
	int error = bpf_map_create(&slowdown->wait, fault);

	return error ? error : bpf_map_create(&slowdown->packets, fault);
}

static int load(struct slowdown *slowdown, struct fault *fault)
{
	const struct bpf_map maps[] = { slowdown->wait, slowdown->packets };
	const struct bpf_program program = {
		.object = bpf_slow,
		.object_bytes = bpf_slow_bytes,
		.section = SLOW_SECTION,
		.name = "gm_slow",
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.needs = "Linux 5.17",
		.maps = maps,
		.map_count = 2,
	};

	slowdown->program = bpf_program_load(&program, fault);
	return slowdown->program < 0 ? slowdown->program : 0;
}

static int set_wait(const struct slowdown *slowdown, int64_t wait_ns, struct fault *fault)
{
	uint64_t value = (uint64_t)wait_ns;
	int error = bpf_map_write(&slowdown->wait, &key_zero, &value);

	return error ? fault_system(fault, error, "wait_ns", "setting the wait") : 0;
}

static int attach_hooks(const struct slowdown *slowdown, int index)
{
	unsigned int hooks = slowdown->request->hooks ? slowdown->request->hooks
						      : 1u << CLSACT_INGRESS;
	int error = 0;

	if (hooks & 1u << CLSACT_INGRESS)
		error = netlink_attach(index, CLSACT_INGRESS, slowdown->program, "gm_slow");
	if (!error && hooks & 1u << CLSACT_EGRESS)
		error = netlink_attach(index, CLSACT_EGRESS, slowdown->program, "gm_slow");
	return error;
}

/* *index is set once there is something to remove. */
static int attach(const struct slowdown *slowdown, const char *name, int *index,
		  struct fault *fault)
{
	struct device device;
	int error = device_find(&device, name, 0, "devices", fault);

	if (error)
		return error;
	error = netlink_add_clsact(device.index);
	if (error == -EEXIST)
		return fault_set(fault, error, "devices", "tc qdisc del dev NAME clsact",
				 "%s has a clsact qdisc already: a slowdown, or another program's",
				 name);
	if (error)
		return fault_system(fault, error, "devices", "adding a clsact qdisc");
	*index = device.index;
	error = attach_hooks(slowdown, device.index);
	return error ? fault_system(fault, error, "devices", "attaching the slowdown") : 0;
}

static int attach_all(struct slowdown *slowdown, struct fault *fault)
{
	const struct texts *names = &slowdown->request->devices;

	if (!names->count)
		return fault_set(fault, -EINVAL, "devices", "name one", "the list is empty");
	slowdown->device = calloc(names->count, sizeof(*slowdown->device));
	if (!slowdown->device)
		return fault_system(fault, -ENOMEM, "devices", "the list of devices");
	for (size_t i = 0; i < names->count; i++) {
		int error = attach(slowdown, names->item[i], &slowdown->device[i], fault);

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
	KEY(command, wait_ns, INTEGER, .preset = -1, .max = SLOW_WAIT_MOST_NS,
	    .help = "wait for each packet"),
	{ 0 },
};

static int obey(struct slowdown *slowdown, char *text, struct fault *fault)
{
	struct line *line = &slowdown->talk->line;
	struct command command;
	int error = request_read(&command, text, command_keys, NULL, fault);

	if (error)
		return error;
	if (strcmp(command.cmd, "set") != 0 || command.wait_ns < 0)
		return fault_set(fault, -EINVAL, "cmd", "send {\"cmd\":\"set\",\"wait_ns\":N}",
				 "the slowdown only takes the command set, with wait_ns");
	error = set_wait(slowdown, command.wait_ns, fault);
	if (error)
		return error;
	line_begin(line, "set");
	line_integer(line, "wait_ns", command.wait_ns);
	line_end(line);
	return 0;
}

static int hold(struct slowdown *slowdown, struct fault *fault)
{
	char *text = NULL;
	int result;

	while ((result = talk_line(slowdown->talk, &text)) > 0) {
		int error = obey(slowdown, text, fault);

		free(text);
		if (error)
			return error;
	}
	return result ? fault_system(fault, result, NULL, "reading stdin") : 0;
}

static uint64_t count_packets(const struct slowdown *slowdown)
{
	uint64_t *value = calloc(slowdown->cpus, sizeof(*value));
	uint64_t sum = 0;

	if (value && bpf_map_read(&slowdown->packets, &key_zero, value) == 0)
		for (unsigned int i = 0; i < slowdown->cpus; i++)
			sum += value[i];
	free(value);
	return sum;
}

static int slow_job(struct slowdown *slowdown, struct fault *fault)
{
	int error = cpus_possible(&slowdown->cpus, fault);

	if (!error)
		error = make_maps(slowdown, fault);
	if (!error)
		error = load(slowdown, fault);
	if (!error)
		error = set_wait(slowdown, slowdown->request->wait_ns, fault);
	if (!error)
		error = attach_all(slowdown, fault);
	if (error)
		return error;
	talk_ready(slowdown->talk, NULL, (int)slowdown->request->job.cpu);
	line_end(&slowdown->talk->line);
	return hold(slowdown, fault);
}

/* Also removes what a failed start has attached. */
static void release(struct slowdown *slowdown)
{
	for (size_t i = 0; slowdown->device && i < slowdown->request->devices.count; i++)
		if (slowdown->device[i])
			netlink_remove_clsact(slowdown->device[i]);
	free(slowdown->device);
	if (slowdown->program >= 0)
		close(slowdown->program);
	if (slowdown->wait.fd >= 0)
		close(slowdown->wait.fd);
	if (slowdown->packets.fd >= 0)
		close(slowdown->packets.fd);
}

static int slow_run(struct talk *talk, const void *request, struct fault *fault)
{
	struct slowdown slowdown = {
		.request = request,
		.talk = talk,
		.wait = { .name = SLOW_WAIT,
			  .type = BPF_MAP_TYPE_ARRAY,
			  .key_bytes = sizeof(key_zero),
			  .value_bytes = 8,
			  .entries = 1,
			  .fd = -1 },
		.packets = { .name = SLOW_PACKETS,
			     .type = BPF_MAP_TYPE_PERCPU_ARRAY,
			     .key_bytes = sizeof(key_zero),
			     .value_bytes = 8,
			     .entries = 1,
			     .fd = -1 },
		.program = -1,
	};
	uint64_t packets = 0;
	int error = slow_job(&slowdown, fault);

	if (!error)
		packets = count_packets(&slowdown);
	release(&slowdown);
	if (error)
		return error;
	line_begin(&talk->line, "done");
	line_count(&talk->line, "packets", packets);
	line_end(&talk->line);
	return 0;
}

const struct verb verb_slow = {
	.name = "slow",
	.help = "makes each packet at some interfaces wait",
	.keys = slow_keys,
	.request_bytes = sizeof(struct slow_request),
	.needs = SANDBOX_BPF | SANDBOX_NETLINK | SANDBOX_DEVICES,
	.run = slow_run,
};
