// SPDX-License-Identifier: Apache-2.0
/* The program that counts in the kernel (bpf/sink.bpf.c), loaded but attached to nothing. */
#ifndef GM_XDP_H
#define GM_XDP_H

#include "count/tally.h"
#include "kernel/bpf.h"
#include "talk/fault.h"
#include "udp/sink.h"

#include <stdint.h>

enum xdp_map {
	XDP_CONFIG,
	XDP_QUEUE,
	XDP_BIN,
	XDP_FLOW,
	XDP_FLOW_DELAY,
	XDP_LEDGER,
	XDP_SILENCE,
	XDP_MAPS,
};

struct xdp {
	struct bpf_map map[XDP_MAPS];
	void *memory[XDP_MAPS]; /* of bpf/sink.h */
	uint32_t queues;
	int program; /* -1: not loaded */
	struct tally tally;
};

/* Makes xdp_close() safe. */
void xdp_clear(struct xdp *xdp);

/*
 * Loads the program and takes its maps, for so many receive queues and what the sink asks for:
 * family, ports, options. 0 or -errno with the fault filled; xdp_close() in either case.
 */
int xdp_open(struct xdp *xdp, const struct sink *sink, uint32_t queues, struct fault *fault);
void xdp_close(struct xdp *xdp);

/* The bins begin at t0_ns, of CLOCK_MONOTONIC. */
void xdp_start(struct xdp *xdp, uint64_t t0_ns);

/* Test packets so far. */
uint64_t xdp_received(const struct xdp *xdp);

/* All that was counted. Once, when the program runs no more. */
const struct tally *xdp_read(struct xdp *xdp);

#endif
