// SPDX-License-Identifier: Apache-2.0
/*
 * What a capture takes in the path of the packets: the kernel times its programs as long as it is
 * asked to (BPF_ENABLE_STATS, Linux 5.8). Two readings of the clock a packet are in that time.
 */
#ifndef GM_CAPTURE_COST_H
#define GM_CAPTURE_COST_H

#include "kernel/hooks.h"

#include <stdint.h>

/* Lets the kernel time all BPF programs, until the descriptor is closed. -errno: it does not. */
int cost_open(void);

/* Of the programs at hooks, since they were loaded. */
struct cost {
	uint64_t ns, packets;
};
struct cost cost_read(const struct hooks *hooks);

#endif
