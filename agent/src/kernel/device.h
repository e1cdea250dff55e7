// SPDX-License-Identifier: Apache-2.0
/* What the kernel knows of an interface of this namespace. */
#ifndef GM_DEVICE_H
#define GM_DEVICE_H

#include "talk/fault.h"

#include <stdint.h>

struct device {
	const char *name; /* borrowed */
	int index;
	uint32_t mtu;
	uint8_t mac[6];
};

/* Looks name up. Faults on key if there is none or, where it has to be up, if it is down. */
int device_find(struct device *device, const char *name, int must_be_up, const char *key,
		struct fault *fault);

/* Faults on key if a frame (with FCS) is longer than the device's MTU allows. */
int device_carries(const struct device *device, uint32_t frame_bytes, const char *key,
		   struct fault *fault);

#endif
