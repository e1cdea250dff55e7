// SPDX-License-Identifier: Apache-2.0
/*
 * What the sink's ways to count have in common. A way either takes each packet here (receiver.c) or
 * lets the kernel count (xdp.c); both end in a struct tally, of which the report is made.
 */
#ifndef GM_SINK_H
#define GM_SINK_H

#include "bpf/siphash.h"
#include "count/tally.h"
#include "count/window.h"
#include "talk/request.h"
#include "talk/talk.h"

#include <stdint.h>

struct sink {
	const char *device;
	int family;
	size_t ring_bytes; /* room for packets that wait, where the way has a ring */
	struct talk *talk;
	struct integers ports; /* sorted, each once; none: every port counts */
	struct tally_options options;
	struct siphash_key key; /* where options.keyed */
	const struct sink_way *way;
	void *state; /* the way's own */
	uint64_t tick_every_ns; /* 0: never */
	uint64_t tick_ns; /* when to report next; UINT64_MAX: never */
};

struct sink_way {
	const char *name;
	uint32_t window; /* numbers of a flow within which duplicates are recognised */

	/* Ready to count, and counting at the latest after start(). */
	int (*open)(struct sink *sink, struct fault *fault);

	/* The bins begin at t0_ns. */
	void (*start)(struct sink *sink, uint64_t t0_ns);

	/* Counts until the conversation is over, with ticks. */
	void (*run)(struct sink *sink);

	/* What was counted in the end. */
	const struct tally *(*finish)(struct sink *sink);

	/* Also after a failed open(); leaves nothing behind, so that another way can be tried. */
	void (*close)(struct sink *sink);
};

extern const struct sink_way way_xdp; /* counted in the kernel: bpf/sink.bpf.c */
extern const struct sink_way way_ring; /* taken from a TPACKET_V3 ring */
extern const struct sink_way way_udp; /* taken from UDP sockets */

/* Reports what was received so far, if it is time to. */
void sink_tick(struct sink *sink, uint64_t received);

/* Milliseconds until the next tick, for poll(). */
int sink_tick_wait(const struct sink *sink);

/* Members of the report: corrupt_by, late, silences, ledger. */
void sink_report_losses(struct line *line, const struct tally *tally);

/* Reports everything that was counted. */
void sink_report(struct line *line, const struct tally *tally, uint64_t cpu_ns);

#endif
