// SPDX-License-Identifier: Apache-2.0
/* Maps and programs of the classifier. */
#include "kernel/gateway.h"
#include "kernel/cpus.h"
#include "kernel/object.h"
#include "model/swap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROGRAM_NAME "gm_classify"
#define NEEDS "Linux 5.3"
#define HOSTS 4096

/* Of those that we build for; the kernel calls the others CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS. */
#ifdef __mips__
#define READS_EVEN 1
#else
#define READS_EVEN 0
#endif

static void describe(struct gateway *gateway)
{
	const struct gateway_options *options = &gateway->options;
	uint32_t state = window_bytes(gateway->slides, gateway->keeps);
	const struct bpf_map maps[GATEWAY_MAPS] = {
		[GATEWAY_FLOWS_IPV4] = { CLASSIFY_FLOWS_IPV4, BPF_MAP_TYPE_LRU_HASH,
					 sizeof(struct flow_ipv4_key), state, options->flows, -1,
					 0 },
		[GATEWAY_FLOWS_IPV6] = { CLASSIFY_FLOWS_IPV6, BPF_MAP_TYPE_LRU_HASH,
					 sizeof(struct flow_key), state, options->flows, -1, 0 },
		[GATEWAY_DECISIONS] = { CLASSIFY_DECISIONS, BPF_MAP_TYPE_HASH,
					sizeof(struct flow_key), sizeof(struct decision),
					options->decisions, -1, 0 },
		[GATEWAY_HOSTS] = { CLASSIFY_HOSTS, BPF_MAP_TYPE_LRU_HASH,
				    sizeof(((struct flow_key *)NULL)->lan), sizeof(struct host),
				    HOSTS, -1, 0 },
		[GATEWAY_PROBATION] = { CLASSIFY_PROBATION, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
					sizeof(struct bucket), 1, -1, 0 },
		[GATEWAY_RESTS] = { CLASSIFY_RESTS, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
				    sizeof(struct rest), gateway->passes ? RESTS : 1, -1, 0 },
		[GATEWAY_MODELS] = { CLASSIFY_MODELS, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
				     sizeof(struct model), 2, -1, 0 },
		[GATEWAY_ACTIVE] = { CLASSIFY_ACTIVE, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
				     sizeof(uint32_t), 1, -1, 0 },
		[GATEWAY_WORK] = { CLASSIFY_WORK, BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
				   sizeof(struct classify_work), 1, -1, 0 },
		[GATEWAY_COUNTS] = { CLASSIFY_COUNTS, BPF_MAP_TYPE_PERCPU_ARRAY, sizeof(uint32_t),
				     sizeof(uint64_t), CLASSIFY_KINDS, -1, 0 },
	};

	memcpy(gateway->map, maps, sizeof(maps));
}

static int write_model(const struct gateway *gateway, uint32_t place,
		       const struct named_model *named, struct fault *fault)
{
	int error = bpf_map_write(&gateway->map[GATEWAY_MODELS], &place, &named->model);
	const uint32_t zero = 0;

	if (!error)
		error = bpf_map_write(&gateway->map[GATEWAY_ACTIVE], &zero, &place);
	return error ? fault_system(fault, error, "model", "writing the model to the kernel") : 0;
}

int gateway_open(struct gateway *gateway, const struct named_model *named,
		 const struct gateway_options *options, struct fault *fault)
{
	*gateway = (struct gateway){ .options = *options,
				     .slides = named->slides,
				     .keeps = named->model.keeps,
				     .passes = named->model.rest && !named->slides };
	describe(gateway);
	bpf_allow_memory();
	for (int i = 0; i < GATEWAY_MAPS; i++) {
		int error = bpf_map_create(&gateway->map[i], fault);

		if (error)
			return error;
	}
	return write_model(gateway, 0, named, fault);
}

void gateway_close(struct gateway *gateway)
{
	hooks_close(&gateway->hooks);
	for (int i = 0; i < GATEWAY_MAPS; i++)
		if (gateway->map[i].fd >= 0)
			close(gateway->map[i].fd);
}

int gateway_load(const struct gateway *gateway, enum way way, struct fault *fault)
{
	const struct bpf_constant constants[] = {
		{ CLASSIFY_WAY, way },
		{ CLASSIFY_SLIDES, gateway->slides },
		{ CLASSIFY_KEEPS, gateway->keeps },
		{ CLASSIFY_PASSES, gateway->passes },
		{ CLASSIFY_RAW, gateway->options.is_raw },
		{ CLASSIFY_EVEN, READS_EVEN && !gateway->options.is_raw },
		{ CLASSIFY_MASK, gateway->options.mask },
		{ CLASSIFY_REPLAY, gateway->options.is_replay },
	};
	const struct bpf_program program = {
		.object = bpf_classify,
		.object_bytes = bpf_classify_bytes,
		.section = CLASSIFY_SECTION,
		.name = PROGRAM_NAME,
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.needs = NEEDS,
		.maps = gateway->map,
		.map_count = GATEWAY_MAPS,
		.constants = constants,
		.constant_count = sizeof(constants) / sizeof(constants[0]),
	};

	return bpf_program_load(&program, fault);
}

int gateway_attach(struct gateway *gateway, const char *device, struct fault *fault)
{
	static const enum hooks_way hooks[] = { [WAY_UP] = HOOKS_IN, [WAY_DOWN] = HOOKS_OUT };

	for (int way = 0; way < WAYS; way++) {
		int program = gateway_load(gateway, (enum way)way, fault);
		int error = program;

		if (program >= 0)
			error = hooks_attach(&gateway->hooks, device, hooks[way], program,
					     PROGRAM_NAME, fault);
		if (error)
			return error;
	}
	return 0;
}

static const char *kept_words(uint32_t keeps)
{
	return keeps & KEEPS_HEADERS  ? "headers"
	       : keeps & KEEPS_SWINGS ? "attributes of skype"
				      : "attributes of lengths";
}

int gateway_swap(struct gateway *gateway, const struct named_model *named,
		 const struct named_model *in_use, struct fault *fault)
{
	uint32_t zero = 0, active = 0;
	int error = model_may_follow(named, in_use, fault);

	if (error)
		return error;
	if (named->model.keeps & ~gateway->keeps)
		return fault_set(fault, -EINVAL, "model", "attach it anew",
				 "of flows less is kept than its %s ask for",
				 kept_words(named->model.keeps & ~gateway->keeps));
	error = bpf_map_read(&gateway->map[GATEWAY_ACTIVE], &zero, &active);
	if (error)
		return fault_system(fault, error, "model", "reading which model is in use");
	return write_model(gateway, !active, named, fault);
}

int gateway_counts(const struct gateway *gateway, uint64_t counts[CLASSIFY_KINDS])
{
	struct fault fault;
	unsigned int cpus;
	int error = cpus_possible(&cpus, &fault);
	uint64_t *values = error ? NULL : calloc(cpus, sizeof(*values));

	if (!error && !values)
		error = -ENOMEM;
	for (uint32_t kind = 0; !error && kind < CLASSIFY_KINDS; kind++) {
		error = bpf_map_read(&gateway->map[GATEWAY_COUNTS], &kind, values);
		counts[kind] = 0;
		for (unsigned int cpu = 0; !error && cpu < cpus; cpu++)
			counts[kind] += values[cpu];
	}
	free(values);
	return error;
}

uint64_t gateway_sweep(const struct gateway *gateway, const struct model *model, uint64_t now_us,
		       gateway_take *take, void *context)
{
	const struct bpf_map *map = &gateway->map[GATEWAY_DECISIONS];
	struct flow_key key, next;
	struct decision decision;
	uint64_t left = 0;
	int error = bpf_map_next(map, NULL, &next);

	for (uint32_t i = 0; !error && i < 2 * gateway->options.decisions; i++) {
		key = next;
		error = bpf_map_next(map, &key, &next);
		if (bpf_map_read(map, &key, &decision))
			continue;
		if (now_us > decision.guard.last_us &&
		    now_us - decision.guard.last_us > model->idle_us) {
			bpf_map_take(map, &key, &decision);
			continue;
		}
		left++;
		take(context, &key, &decision);
	}
	return left;
}

uint64_t gateway_memory(const struct gateway *gateway, enum gateway_map map)
{
	unsigned long long bytes = 0;
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", gateway->map[map].fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	if (file)
		fclose(file);
	return bytes;
}
