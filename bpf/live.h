// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What live.bpf.c and the agent's port live (agent/src/port/live.c) share.
 * Kernel floor: Linux 5.18, for BPF_F_TEST_XDP_LIVE_FRAMES.
 */
#ifndef GM_LIVE_H
#define GM_LIVE_H

#include "order.h"
#include "shared.h"
#include "siphash.h"

/* The programs' sections: one that sends along the schedule, one that sends a frame as it is. */
#define LIVE_SECTION "xdp"
#define LIVE_PROBE_SECTION "xdp/probe"

/* Maps, arrays all of them; those with one entry have it under key 0. */
#define LIVE_PLAN "live_plan" /* one struct live_plan, written by the agent */
#define LIVE_STATE                                                                                 \
	"live_state" /* one struct live_state, the program's; begun and read by the agent */
#define LIVE_FLOW "live_flow" /* a struct live_flow for each flow, written by the agent */
#define LIVE_SIZE                                                                                  \
	"live_size" /* bytes of frames without FCS, 32 bits each, cycled packet by packet */
#define LIVE_PAUSE "live_pause" /* LIVE_PAUSES struct live_pause, the first ones in order */
#define LIVE_LATE "live_late" /* one struct histogram (agent/src/count/histogram.h), in ns */

/* Headers are kept in pieces that every machine may copy: IP stands at 14, as in NET_IP_ALIGN. */
#define LIVE_ETHERNET_WORDS 7 /* of 16 bits */
#define LIVE_IPV4_WORDS 5 /* of 32 bits */
#define LIVE_IPV6_WORDS 10

#define LIVE_PAUSES 256 /* that are kept */

/* How long the program holds up a CPU's softirqs; a longer wait takes several calls. */
#define LIVE_HOLD_NS 200000

/* See even_gap_ns. */
#define LIVE_EVEN_NS 1000000

/* See after_tick_ns, and pace_after_tick(). */
#define LIVE_TICK_NS 4000000

/* The first packet is due so long after the first call, at least. */
#define LIVE_LEAD_NS 50000

/* Times are of CLOCK_MONOTONIC, in ns. */
struct live_plan {
	__u64 lasts_ns; /* no packet is sent so long after the first due time */
	__u64 bound; /* packets to try at most */
	__u64 gap_ns; /* between packets; 0 with gap_fraction 0: as fast as it goes */
	__u64 even_gap_ns; /* the least one while late by LIVE_EVEN_NS at most */
	__u64 least_gap_ns; /* and beyond */
	__u64 pause_ns; /* a packet that is later than this ends a pause */
	struct siphash_key key; /* of the headers' tags */
	__u32 gap_fraction; /* 2^-32 ns */
	__u32 burst; /* packets that go when the first of them is due */
	__u32 after_tick_ns; /* the first is due so long after a whole LIVE_TICK_NS */
	__u32 sizes; /* entries of LIVE_SIZE in use */
	__u32 device; /* index of the interface */
	__u32 family; /* 4 or 6 */
	__u32 ip_sum; /* sum of IPv4's header without length and checksum */
	__u32 udp_sum; /* sum of the pseudo header without UDP's length */
	__u32 run;
	__u32 keyed; /* 1: headers are tagged, in place of the run */
	__u16 ethernet[LIVE_ETHERNET_WORDS]; /* as they are sent */
	__u16 unused;
	__u32 ip[LIVE_IPV6_WORDS]; /* the same; what varies left out */
	struct order order;
};

/* All zero but `place` before the first call, which sets the times. */
struct live_state {
	__u64 t0_ns; /* when the first packet was due */
	__u64 end_ns; /* no packet is sent from then on */
	__u64 due_ns; /* when the next packet is due */
	__u64 earliest_ns; /* it goes no sooner */
	__u64 last_ns; /* when the last one went */
	__u64 tried;
	__u64 bytes; /* of the frames that were tried, without FCS */
	__u64 gaps_over_1ms;
	__u64 pauses, paused_ns;
	__u32 due_fraction;
	struct order_place place; /* of the next packet */
	__u32 size; /* its index into LIVE_SIZE */
	__u32 in_burst; /* packets of its burst that have gone */
	__u32 over; /* 1: end_ns has passed */
};

struct live_pause {
	__u64 t_ns, ns; /* begin and length */
};

struct live_flow {
	__u16 source_port, destination_port;
	__u8 source_step, destination_step; /* added to the last byte of the addresses */
};

/*
 * How long one call waits of what is left. It takes some 20 us until the next call waits, and a
 * packet must not be due meanwhile. So the last call begins well before: half of LIVE_HOLD_NS.
 */
SHARED __u64 live_hold_ns(__u64 left_ns)
{
	if (left_ns <= LIVE_HOLD_NS)
		return left_ns;
	return left_ns < 2ull * LIVE_HOLD_NS ? left_ns / 2 : LIVE_HOLD_NS;
}

#endif
