// SPDX-License-Identifier: Apache-2.0
/*
 * The way to the next hop, for ports that make whole frames: the device they leave by, and the
 * addresses that they carry.
 */
#ifndef GM_HOP_H
#define GM_HOP_H

#include "kernel/device.h"
#include "port/port.h"

struct hop {
	struct device device;
	struct route route;
};

/* Faults on the request's keys; -EINVAL: no port that makes frames could take it. */
int hop_find(struct hop *hop, const struct port_options *options, struct fault *fault);

/*
 * Which address a flow has, counted from the first: flows step over count addresses, round robin.
 */
static inline uint8_t hop_step(uint32_t flow, unsigned int count)
{
	return (uint8_t)(count > 1 ? flow % count : 0);
}

#endif
