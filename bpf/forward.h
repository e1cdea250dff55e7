// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What forward.bpf.c and the agent's verb forward (agent/src/verbs/forward.c) share.
 * Kernel floor: Linux 5.9, for attaching XDP by a link that ends with its process.
 */
#ifndef GM_FORWARD_H
#define GM_FORWARD_H

#ifdef __bpf__
#include "kernel.h"
#else
#include <linux/types.h>
#endif

/* The program's section. */
#define FORWARD_SECTION "xdp"

/* Maps, both arrays. */
#define FORWARD_PORTS "forward_ports" /* one struct forward_ports; written by the agent */
#define FORWARD_COUNTS "forward_counts" /* per CPU, by enum forward_count: packets */

#define FORWARD_PORTS_MOST 8

/* Devices that packets may be sent to; 0: none. A device without such a program may lose them. */
struct forward_ports {
	__u32 index[FORWARD_PORTS_MOST];
};

enum forward_count { FORWARD_FORWARDED, FORWARD_PASSED, FORWARD_KINDS };

#endif
