// SPDX-License-Identifier: Apache-2.0
/* What the live port's files share: live.c opens it, live_probe.c tries it, live_run.c runs it. */
#ifndef GM_PORT_LIVE_H
#define GM_PORT_LIVE_H

#include "bpf/live.h"
#include "frame/order.h"
#include "kernel/bpf.h"
#include "port/hop.h"
#include "port/port.h"

#include <pthread.h>
#include <stdatomic.h>

enum live_map {
	LIVE_MAP_PLAN,
	LIVE_MAP_STATE,
	LIVE_MAP_FLOW,
	LIVE_MAP_SIZE,
	LIVE_MAP_LATE,
	LIVE_MAP_PAUSE,
	LIVE_MAPS
};

struct live {
	struct hop hop;
	struct bpf_map map[LIVE_MAPS];
	int program, probe;
	int held; /* the program at lo, where that is silent; else < 0 */
	uint8_t *frame; /* what each page begins with: the largest size */
	uint32_t frame_bytes; /* without FCS */
	struct live_plan plan;
	struct order_place first; /* where the order of the flows begins */
	uint64_t dropped; /* by the device before sending began */
	struct turn turn;
	uint32_t repeat; /* calls of the program in one system call of a turn */

	/* The thread that is inside the kernel, and how the others see it. */
	pthread_t thread;
	bool begun;
	atomic_bool stop, stopped;
	int error; /* valid once stopped: 0 or -errno */
	atomic_uint calls;
};

/* Sends one frame of an experimental EtherType and looks whether it leaves. */
int live_try(const struct live *live, struct fault *fault);

/* The functions of struct port_kind. */
int live_begin(struct port *port, const struct port_schedule *schedule, struct fault *fault);
int live_advance(struct port *port, uint64_t until_ns, struct port_progress *progress,
		 struct fault *fault);
void live_end(struct port *port, struct port_progress *progress);
void live_account(struct port *port, struct port_progress *progress);

#endif
