// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What flows.bpf.c and the agent (agent/src/flows) share: the tables of flows. A flow is what two
 * ends exchange by one protocol (a biflow, RFC 5103); of its ends the one with the lower address,
 * and then the lower port, is `low`. Addresses and ports are as they are on the wire.
 */
#ifndef GM_FLOWS_BPF_H
#define GM_FLOWS_BPF_H

#ifdef __bpf__
#include "kernel.h"
#else
#include <linux/types.h>
#endif

#define FLOWS_SECTION "tc"
#define FLOWS_IPV4 "flows_ipv4" /* a hash: struct flow_ipv4 -> struct flow */
#define FLOWS_IPV6 "flows_ipv6" /* a hash: struct flow_ipv6 -> struct flow */
#define FLOWS_COUNTS "flows_counts" /* per CPU, by enum flows_count: packets */

/* Constants that the agent puts into the program. */
#define FLOWS_RAW "flows_raw" /* 1 where a device has no link header */
#define FLOWS_CPUS "flows_cpus" /* that there may be */
#define FLOWS_TICKS "flows_ticks" /* 1: the clock's last tick can be read (Linux 5.11) */

struct flow_ipv4 {
	__u32 low, high;
	__u16 low_port, high_port;
	__u32 protocol; /* as one word: no padding that a hash would see */
};

struct flow_ipv6 {
	__u32 low[4], high[4];
	__u16 low_port, high_port;
	__u32 protocol;
};

enum flow_way { FLOW_UP, FLOW_DOWN, FLOW_WAYS }; /* from low to high, and back */

struct flow {
	/* 0: no packet went this way. With ticks the last is up to one early (1 to 10 ms). */
	__u64 first_ns[FLOW_WAYS], last_ns[FLOW_WAYS];
	__u64 packets[FLOW_WAYS], bytes[FLOW_WAYS]; /* of IP packets on the wire */
	__u8 tcp_flags[FLOW_WAYS]; /* all that were set */
	__u8 first_way; /* of the packet that began it */
	__u8 service; /* of that packet: type of service, traffic class */
	__u8 unused[4];
};

/* FLOWS_PLACE is no count: the program keeps a place in a packet there, see forget(). */
enum flows_count { FLOWS_COUNTED, FLOWS_OTHER, FLOWS_UNTRACKED, FLOWS_PLACE, FLOWS_KINDS };

#endif
