// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The slowdown: makes a gateway slow and steady. At the clsact ingress of a device every packet
 * waits by the clock, on the CPU that forwards it; at its egress what the gateway itself sends,
 * once for each segment, since TCP hands over many at a time. Waiting by the clock spreads 0.6 %,
 * counted loops 3 to 25 %, and a cgroup quota does not hold kernel threads (docs/decisions.md).
 */
#include "slow.h"
#include "kernel.h"

#define FRAME_MOST 1514 /* bytes of a full Ethernet frame, without FCS */
#define STEPS (1 << 22) /* a bound that the verifier sees; the clock ends the loop long before */

static long waited(__u32 step, void *until);

SECTION(SLOW_SECTION) int slow(struct packet *packet)
{
	__u32 key = 0, segments = 1 + (packet->length - 1) / FRAME_MOST;
	__u64 *wait = bpf_map_lookup_elem(MAP(slow_wait), &key);
	__u64 *packets = bpf_map_lookup_elem(MAP(slow_packets), &key);
	__u64 until;

	if (!wait || !packets)
		return TC_ACT_UNSPEC;
	/* Softirqs do not nest on a CPU: no atomic is needed. */
	*packets += segments;
	if (*wait) {
		until = bpf_ktime_get_ns() + *wait * segments;
		bpf_loop(STEPS, waited, &until, 0);
	}
	return TC_ACT_UNSPEC;
}

SECTION(SLOW_SECTION) static long waited(__u32 step, void *until)
{
	return bpf_ktime_get_ns() >= *(__u64 *)until;
}
