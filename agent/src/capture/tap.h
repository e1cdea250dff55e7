// SPDX-License-Identifier: Apache-2.0
/* The program bpf/capture.bpf.c at the hooks of devices, one for each device and way. */
#ifndef GM_CAPTURE_TAP_H
#define GM_CAPTURE_TAP_H

#include "capture/file.h"
#include "capture/filter.h"
#include "capture/rings.h"
#include "kernel/hooks.h"
#include "talk/fault.h"
#include "talk/request.h"

#include <stdbool.h>
#include <stdint.h>

#define TAP_DEVICES_MOST (CAPTURE_INTERFACES_MOST / 2)

struct tap {
	const struct texts *devices;
	unsigned int ways; /* bits of enum hooks_way */
	uint32_t snaplen;
	const struct filter_prefix *filter;
	const struct rings *rings;
	struct hooks hooks; /* one for each interface of the file */
};

/* Describes an interface for each device and way. 0 or -EINVAL, -ENODEV with the fault filled. */
int tap_describe(const struct texts *devices, unsigned int ways, struct capture_kind *kind,
		 struct fault *fault);

/* Loads and attaches a program for each interface of tap_describe(). 0 or -errno with the fault. */
int tap_open(struct tap *tap, struct fault *fault);

/* Whether its programs run as code of the processor. */
bool tap_is_compiled(const struct tap *tap);

/* Packets come no more; nothing of it is left at the devices. */
void tap_close(struct tap *tap);

#endif
