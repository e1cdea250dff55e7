// SPDX-License-Identifier: Apache-2.0
/*
 * The sender's loop, without request and report: stage a burst, wait until
 * it is due, stamp it, hand it to the port; or watch over a port that keeps the schedule itself.
 * One thread; allocates nothing.
 */
#ifndef GM_SENDER_H
#define GM_SENDER_H

#include "bpf/siphash.h"
#include "count/sending.h"
#include "frame/order.h"
#include "port/port.h"
#include "talk/request.h"
#include "talk/talk.h"
#include "time/pace.h"
#include "time/turn.h"

#include <stdbool.h>
#include <stdint.h>

/* Lists have one entry for all flows, or one for each; frame_bytes is cycled. Borrowed. */
struct sender_options {
	struct integers source_ports, destination_ports;
	struct integers frame_bytes;
	unsigned int source_count, destination_count; /* addresses that the flows step over */
	uint32_t flows;
	uint64_t seed; /* of the flows' order; 0: round robin */
	uint8_t run;
	bool keyed; /* headers are tagged by `key` */
	struct siphash_key key;
	unsigned int burst;
	double rate_pps; /* 0: the maximum */
	double cap_pps; /* 0: none */
	uint64_t duration_ns;
	uint64_t packets; /* 0: no bound */
	uint64_t tick_ns; /* 0: never */
	bool rests; /* it never spins */
	struct turn turn; /* among others, at the maximum alone */
};

struct sender {
	struct sender_options options;
	struct talk *talk;
	struct port port;

	/* What was done. */
	uint64_t t1_ns;
	uint64_t scheduled; /* 0 at the maximum */
	struct port_progress done;
	struct sending sending;

	/* Where it stands. */
	struct pace pace;
	uint64_t bound; /* packets to try at most */
	uint64_t end_ns; /* no packet is begun after it */
	uint64_t look_ns, tick_ns; /* when to look at stdin and to report next */
	uint64_t last_ns;
	uint64_t asked_ns; /* when the port was asked last */
	uint64_t pause_ns; /* what is longer is one */
	struct order order;
	struct order_place place; /* of the next packet */
	size_t size; /* index into frame_bytes of the next packet */
	struct packet staged[PORT_BURST_MAX];
};

/*
 * Sends until the schedule, the time or stdin ends. The port is open, counters are zero, and
 * `sending` has its memory. 0, or -errno with the fault filled where the port failed altogether.
 */
int sender_run(struct sender *sender, struct fault *fault);

#endif
