// SPDX-License-Identifier: Apache-2.0
/* Loading and attaching the capture. */
#include "capture/tap.h"
#include "kernel/bpf.h"
#include "kernel/bpf_object.h"
#include "kernel/device.h"

#include <errno.h>

/* Where the kernel has HAVE_EFFICIENT_UNALIGNED_ACCESS its verifier asks for no alignment. */
#if defined(__x86_64__) || defined(__aarch64__)
#define UNALIGNED 1
#else
#define UNALIGNED 0
#endif

static void describe(struct capture_kind *kind, const char *device, const char *way)
{
	kind->interface[kind->interfaces++] = (struct capture_interface){
		.name = device,
		.description = way,
		.link_type = hooks_link_type(device),
	};
}

int tap_describe(const struct texts *devices, unsigned int ways, struct capture_kind *kind,
		 struct fault *fault)
{
	if (!devices->count || devices->count > TAP_DEVICES_MOST)
		return fault_set(fault, -EINVAL, "devices", "name one to eight",
				 "%zu devices are named", devices->count);
	for (size_t i = 0; i < devices->count; i++) {
		struct device device;
		int error = device_find(&device, devices->item[i], 0, "devices", fault);

		if (error)
			return error;
		if (ways & HOOKS_IN)
			describe(kind, devices->item[i], "received");
		if (ways & HOOKS_OUT)
			describe(kind, devices->item[i], "sent");
	}
	return 0;
}

static int load(const struct tap *tap, size_t interface, struct fault *fault)
{
	const struct bpf_constant constants[] = {
		{ CAPTURE_RING_BYTES, tap->rings->ring_bytes },
		/* Blocks are multiples of 4 bytes, which some verifiers have to see. */
		{ CAPTURE_PLACE, tap->rings->ring_bytes - 4 },
		{ CAPTURE_RINGS, tap->rings->count },
		{ CAPTURE_UNALIGNED, UNALIGNED },
		{ CAPTURE_SNAPLEN, tap->snaplen },
		{ CAPTURE_INTERFACE, interface },
	};
	const struct bpf_program program = {
		.object = bpf_capture,
		.object_bytes = bpf_capture_bytes,
		.section = CAPTURE_SECTION,
		.name = "gm_capture",
		.type = BPF_PROG_TYPE_SCHED_CLS,
		.needs = "Linux 5.5",
		.maps = &tap->rings->map,
		.map_count = 1,
		.constants = constants,
		.constant_count = sizeof(constants) / sizeof(constants[0]),
		.prefix = tap->filter->code,
		.prefix_count = tap->filter->count,
	};

	return bpf_program_load(&program, fault);
}

static int attach(struct tap *tap, const char *device, enum hooks_way way, struct fault *fault)
{
	int program = load(tap, tap->hooks.count, fault);

	if (program < 0)
		return program;
	return hooks_attach(&tap->hooks, device, way, program, "gm_capture", fault);
}

int tap_open(struct tap *tap, struct fault *fault)
{
	int error = 0;

	for (size_t i = 0; !error && i < tap->devices->count; i++) {
		if (tap->ways & HOOKS_IN)
			error = attach(tap, tap->devices->item[i], HOOKS_IN, fault);
		if (!error && tap->ways & HOOKS_OUT)
			error = attach(tap, tap->devices->item[i], HOOKS_OUT, fault);
	}
	return error;
}

bool tap_is_compiled(const struct tap *tap)
{
	return bpf_program_is_compiled(tap->hooks.hook[0].program);
}

void tap_close(struct tap *tap)
{
	hooks_close(&tap->hooks);
}
