// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What classify.bpf.c and its loader (src/kernel/gateway.c) share: maps and constants. The program
 * is loaded once for each direction; both have the same maps.
 */
#ifndef GM_CLASSIFY_BPF_H
#define GM_CLASSIFY_BPF_H

#include "classifier/core/flow.h"
#include "classifier/core/model.h"
#include "classifier/core/rest.h"

#define CLASSIFY_SECTION "tc"

#define CLASSIFY_FLOWS_IPV4 "classify_flows4" /* LRU: struct flow_ipv4_key -> a window's state */
#define CLASSIFY_FLOWS_IPV6 "classify_flows6" /* LRU: struct flow_key -> the same */
#define CLASSIFY_DECISIONS "classify_decided" /* hash: struct flow_key -> struct decision */
#define CLASSIFY_HOSTS "classify_hosts" /* LRU: a LAN address -> struct host */
#define CLASSIFY_RESTS "classify_rests" /* array: struct rest, where a model has some */
#define CLASSIFY_PROBATION "classify_sparse" /* array of one: struct bucket */
#define CLASSIFY_MODELS "classify_models" /* array of two: struct model */
#define CLASSIFY_ACTIVE "classify_active" /* array of one: which model is in use */
#define CLASSIFY_WORK "classify_work" /* per CPU, array of one: struct classify_work */
#define CLASSIFY_COUNTS "classify_counts" /* per CPU, by enum classify_count: packets */

/* Constants that the loader puts into the program. */
#define CLASSIFY_WAY "classify_way" /* enum way: up at ingress of the LAN's device */
#define CLASSIFY_SLIDES "classify_slides"
#define CLASSIFY_KEEPS "classify_keeps" /* enum keeps: what of a window is kept */
#define CLASSIFY_RAW "classify_raw" /* 1 where the device has no link header */
#define CLASSIFY_PASSES "classify_passes" /* 1: some flows pass without a look */
#define CLASSIFY_EVEN "classify_even" /* 1: words are read at even places alone */
#define CLASSIFY_MASK "classify_mask" /* of the packet's mark, the bits that are ours */
#define CLASSIFY_REPLAY "classify_replay" /* 1: a packet's time is its own */

struct flow_ipv4_key {
	__u32 lan, wan;
	__u16 lan_port, wan_port;
	__u32 protocol; /* as one word: no padding that a hash would see */
};

/* What is done with a packet, and zeros that new entries begin as. */
struct classify_work {
	struct seen seen;
	struct flow_ipv4_key ipv4;
	struct outcome outcome;
	struct scratch scratch;
	__u8 blank[WINDOW_BYTES_MOST];
	__u32 place; /* of the IP packet */
	__u32 headers; /* bytes of IP's and UDP's; 0: the payload is not looked for */
};

enum classify_count {
	CLASSIFY_SEEN, /* packets of flows */
	CLASSIFY_OTHER, /* of none */
	CLASSIFY_UNTRACKED, /* of flows that found no room, or were too many of a host */
	CLASSIFY_MARKED,
	CLASSIFY_FULL, /* decisions that found no room */
	CLASSIFY_KINDS
};

#endif
