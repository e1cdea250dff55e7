// SPDX-License-Identifier: Apache-2.0
/*
 * forward: lets a gateway forward at XDP. Loads bpf/forward.bpf.c and attaches it to each device
 * until stdin is closed: in all drivers or, where a driver has no place for it, at the generic hook
 * of all. The links are gone with the process, however it dies.
 */
#include "bpf/forward.h"
#include "kernel/bpf.h"
#include "kernel/bpf_object.h"
#include "kernel/cpus.h"
#include "kernel/device.h"
#include "verbs/verb.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct forward_request {
	struct job job;
	struct texts devices;
};

static const struct key forward_keys[] = {
	KEY(forward_request, devices, TEXTS, .required = true,
	    .help = "list of interfaces between which packets are forwarded, 8 at most"),
	{ 0 },
};

struct forward {
	const struct forward_request *request;
	struct talk *talk;
	struct bpf_map ports, counts;
	unsigned int cpus;
	int program;
	struct device device[FORWARD_PORTS_MOST];
	int link[FORWARD_PORTS_MOST]; /* as requested; -1: none */
	enum bpf_xdp where;
};

struct counts {
	uint64_t of[FORWARD_KINDS];
};

static const uint32_t key_zero;

static int find_devices(struct forward *forward, struct fault *fault)
{
	const struct texts *names = &forward->request->devices;

	if (!names->count || names->count > FORWARD_PORTS_MOST)
		return fault_set(fault, -EINVAL, "devices", "name one to eight",
				 "%zu devices are named", names->count);
	for (size_t i = 0; i < names->count; i++) {
		int error = device_find(&forward->device[i], names->item[i], 1, "devices", fault);

		if (error)
			return error;
	}
	return 0;
}

static int make_maps(struct forward *forward, struct fault *fault)
{
	struct forward_ports ports = { 0 };
	int error = bpf_map_create(&forward->ports, fault);

	if (!error)
		error = bpf_map_create(&forward->counts, fault);
	if (error)
		return error;
	for (size_t i = 0; i < forward->request->devices.count; i++)
		ports.index[i] = (uint32_t)forward->device[i].index;
	error = bpf_map_write(&forward->ports, &key_zero, &ports);
	return error ? fault_system(fault, error, "devices", "setting the program up") : 0;
}

static int load(struct forward *forward, struct fault *fault)
{
	const struct bpf_map maps[] = { forward->ports, forward->counts };
	const struct bpf_program program = {
		.object = bpf_forward,
		.object_bytes = bpf_forward_bytes,
		.section = FORWARD_SECTION,
		.name = "gm_forward",
		.type = BPF_PROG_TYPE_XDP,
		.needs = "Linux 5.9",
		.maps = maps,
		.map_count = 2,
	};

	forward->program = bpf_program_load(&program, fault);
	return forward->program < 0 ? forward->program : 0;
}

static void detach(struct forward *forward)
{
	for (size_t i = 0; i < FORWARD_PORTS_MOST; i++) {
		if (forward->link[i] >= 0)
			close(forward->link[i]);
		forward->link[i] = -1;
	}
}

static int attach_all(struct forward *forward, enum bpf_xdp where, struct fault *fault)
{
	forward->where = where;
	for (size_t i = 0; i < forward->request->devices.count; i++) {
		const struct device *device = &forward->device[i];

		forward->link[i] =
			bpf_attach_xdp(forward->program, device->index, device->name, where, fault);
		if (forward->link[i] < 0) {
			int error = forward->link[i];

			detach(forward);
			return error;
		}
	}
	return 0;
}

/* The same mode for all: a driver cannot hand a frame to a port that has no native program. */
static int attach(struct forward *forward, struct fault *fault)
{
	int error = attach_all(forward, BPF_XDP_NATIVE, fault);

	if (!error || error == -EBUSY || error == -EEXIST || error == -EPERM)
		return error;
	return attach_all(forward, BPF_XDP_GENERIC, fault);
}

static struct counts count(const struct forward *forward)
{
	uint64_t *value = calloc(forward->cpus, sizeof(*value));
	struct counts counts = { 0 };

	for (uint32_t kind = 0; value && kind < FORWARD_KINDS; kind++)
		if (bpf_map_read(&forward->counts, &kind, value) == 0)
			for (unsigned int i = 0; i < forward->cpus; i++)
				counts.of[kind] += value[i];
	free(value);
	return counts;
}

static void report(const struct forward *forward, const char *event)
{
	struct counts counts = count(forward);
	struct line *line = &forward->talk->line;

	line_begin(line, event);
	line_count(line, "forwarded", counts.of[FORWARD_FORWARDED]);
	line_count(line, "passed", counts.of[FORWARD_PASSED]);
	line_end(line);
}

struct command {
	const char *cmd;
};

static const struct key command_keys[] = {
	KEY(command, cmd, TEXT, .required = true, .help = "count"),
	{ 0 },
};

static int obey(const struct forward *forward, char *text, struct fault *fault)
{
	struct command command;
	int error = request_read(&command, text, command_keys, NULL, fault);

	if (error)
		return error;
	if (strcmp(command.cmd, "count") != 0)
		return fault_set(fault, -EINVAL, "cmd", "send {\"cmd\":\"count\"}",
				 "forward only takes the command count");
	report(forward, "count");
	return 0;
}

static int hold(struct forward *forward, struct fault *fault)
{
	char *text = NULL;
	int result;

	while ((result = talk_line(forward->talk, &text)) > 0) {
		int error = obey(forward, text, fault);

		free(text);
		if (error)
			return error;
	}
	return result ? fault_system(fault, result, NULL, "reading stdin") : 0;
}

static int forward_job(struct forward *forward, struct fault *fault)
{
	struct line *line = &forward->talk->line;
	int error = find_devices(forward, fault);

	bpf_allow_memory();
	if (!error)
		error = cpus_possible(&forward->cpus, fault);
	if (!error)
		error = make_maps(forward, fault);
	if (!error)
		error = load(forward, fault);
	if (!error)
		error = attach(forward, fault);
	if (error)
		return error;
	talk_ready(forward->talk, NULL, (int)forward->request->job.cpu);
	line_text(line, "mode", forward->where == BPF_XDP_NATIVE ? "native" : "generic");
	line_end(line);
	error = hold(forward, fault);
	detach(forward);
	if (!error)
		report(forward, "done");
	return error;
}

static void release(struct forward *forward)
{
	detach(forward);
	if (forward->program >= 0)
		close(forward->program);
	if (forward->ports.fd >= 0)
		close(forward->ports.fd);
	if (forward->counts.fd >= 0)
		close(forward->counts.fd);
}

static int forward_run(struct talk *talk, const void *request, struct fault *fault)
{
	struct forward forward = {
		.request = request,
		.talk = talk,
		.ports = { .name = FORWARD_PORTS,
			   .type = BPF_MAP_TYPE_ARRAY,
			   .key_bytes = sizeof(key_zero),
			   .value_bytes = sizeof(struct forward_ports),
			   .entries = 1,
			   .fd = -1 },
		.counts = { .name = FORWARD_COUNTS,
			    .type = BPF_MAP_TYPE_PERCPU_ARRAY,
			    .key_bytes = sizeof(key_zero),
			    .value_bytes = 8,
			    .entries = FORWARD_KINDS,
			    .fd = -1 },
		.program = -1,
	};
	int error;

	for (size_t i = 0; i < FORWARD_PORTS_MOST; i++)
		forward.link[i] = -1;
	error = forward_job(&forward, fault);
	release(&forward);
	return error;
}

const struct verb verb_forward = {
	.name = "forward",
	.help = "forwards between interfaces at XDP",
	.keys = forward_keys,
	.request_bytes = sizeof(struct forward_request),
	.needs = SANDBOX_BPF,
	.run = forward_run,
};
