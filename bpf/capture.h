// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What capture.bpf.c and the agent (agent/src/capture) share: the rings. One ring for each CPU, a
 * value of an array that the agent maps into its memory (BPF_F_MMAPABLE, Linux 5.5). The program
 * writes whole blocks of pcapng (draft-ietf-opsawg-pcapng, Enhanced Packet Block) into it, in the
 * host's byte order, so that the agent has only to hand bytes on.
 *
 * Positions count on for ever; a position's place is its remainder by the ring's size. A block
 * never goes round the end: where it does not fit before it, `end` keeps where the blocks of this
 * lap ended, and the next lap begins. The agent is never more than one lap behind.
 */
#ifndef GM_CAPTURE_BPF_H
#define GM_CAPTURE_BPF_H

#ifdef __bpf__
#include "kernel.h"
#else
#include <linux/types.h>
#endif

#define CAPTURE_SECTION "tc"
#define CAPTURE_RING "capture_ring" /* struct capture_ring and its bytes, one for each CPU */

/* Constants that the agent puts into the program. */
#define CAPTURE_RING_BYTES "capture_ring_bytes" /* a power of two */
#define CAPTURE_PLACE "capture_place" /* of a position: the bits that say where it is in a ring */
#define CAPTURE_RINGS "capture_rings" /* how many: with one the CPU is not asked for */
#define CAPTURE_UNALIGNED "capture_unaligned" /* 1: the verifier takes words at any address */
#define CAPTURE_SNAPLEN "capture_snaplen" /* CAPTURE_SNAPLEN_LEAST .. CAPTURE_SNAPLEN_MOST */
#define CAPTURE_INTERFACE "capture_interface" /* number in the section */

#define CAPTURE_SNAPLEN_LEAST 18 /* an Ethernet header with a VLAN tag */
#define CAPTURE_SNAPLEN_MOST 65532
#define CAPTURE_BLOCK_TYPE 6 /* Enhanced Packet Block */
#define CAPTURE_BLOCK_BYTES 32 /* without the packet */
#define CAPTURE_TAG_BYTES 4 /* a VLAN tag, which the kernel keeps beside the packet */

/* Where the program and the agent stand; each has a cache line. */
struct capture_ring {
	__u64 head; /* the program's: blocks before it are whole */
	__u64 end; /* of the blocks of the lap before that of head */
	__u64 captured, full; /* packets that it wrote; that found no room */
	__u64 bytes; /* of captured packets, as they were on the wire */
	__u64 unused[3];
	__u64 tail; /* the agent's: it needs nothing before it */
	__u64 realtime_ns; /* to be added to the monotonic clock */
	__u64 unused_either[6];
	/* Here the ring's bytes begin; behind them is room for one block: so the verifier agrees. */
};

/* Of a ring in memory. */
#define CAPTURE_VALUE_BYTES(ring_bytes)                                                            \
	(sizeof(struct capture_ring) + (ring_bytes) + (1 << 16) + 64)

struct capture_block {
	__u32 type, bytes;
	__u32 interface;
	__u32 time_high, time_low; /* ns */
	__u32 captured, length;
	__u8 packet[]; /* padded to 4 bytes; then bytes again */
};

#endif
