// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * Capture: copies the beginning of each packet that crosses a device into this CPU's ring, as a
 * block of pcapng. It runs where the packet is, in the softirq that forwards it, makes no copy of
 * the packet and wakes nobody; the agent looks into the rings now and then.
 *
 * The agent may put a filter before it, made of classic BPF (agent/src/capture/filter.c). Such a
 * filter loads from the packet, which programs with several functions may not: this is one.
 */
#include "capture.h"

#define ETHERNET_ADDRESSES 12
#define ETHERNET_BYTES 14

/*
 * What the verifier has to know of a number, in immediate numbers, as that of Linux 6.1
 * learns nothing from others, and nothing from a comparison with zero.
 */
#define BOUND(value, least)                                                                        \
	do {                                                                                       \
		asm volatile("%0 &= 0xffff" : "+r"(value));                                        \
		if ((value) < (least))                                                             \
			return TC_ACT_UNSPEC;                                                      \
	} while (0)

/* Where a block of so many bytes goes, in *head. Returns 0 if the ring is full. */
INLINE int find_room(struct capture_ring *ring, __u64 ring_bytes, __u64 bytes, __u64 *head)
{
	__u64 at = ring->head, place = at & (ring_bytes - 1);
	int next_lap = place + bytes > ring_bytes;

	if (next_lap)
		at += ring_bytes - place;
	if (at + bytes - ring->tail > ring_bytes)
		return 0;
	if (next_lap)
		ring->end = ring->head;
	*head = at;
	return 1;
}

INLINE void describe(struct capture_block *block, const struct capture_ring *ring)
{
	__u64 time_ns = bpf_ktime_get_ns() + ring->realtime_ns;

	block->type = CAPTURE_BLOCK_TYPE;
	block->interface = (__u32)CONSTANT(capture_interface);
	block->time_high = (__u32)(time_ns >> 32);
	block->time_low = (__u32)time_ns;
}

/* The tag goes back to where it was on the wire: behind the addresses. */
INLINE void put_tag(const struct packet *packet, __u8 *to)
{
	*(__u16 *)to = (__u16)packet->vlan_protocol; /* as it is on the wire */
	to[2] = (__u8)(packet->vlan_control >> 8);
	to[3] = (__u8)packet->vlan_control;
}

SECTION(CAPTURE_SECTION) int capture(struct packet *packet)
{
	__u64 ring_bytes = CONSTANT(capture_ring_bytes), snaplen = CONSTANT(capture_snaplen);
	__u64 tag = packet->vlan_present ? CAPTURE_TAG_BYTES : 0;
	__u64 length = packet->length + tag, captured = length < snaplen ? length : snaplen;
	__u32 cpu = bpf_get_smp_processor_id();
	struct capture_ring *ring = bpf_map_lookup_elem(MAP(capture_ring), &cpu);
	struct capture_block *block;
	volatile __u32 *trailer;
	__u64 padded, bytes, head;

	if (!ring)
		return TC_ACT_UNSPEC;
	BOUND(captured, ETHERNET_BYTES);
	padded = (captured + 3) & ~3ull;
	bytes = CAPTURE_BLOCK_BYTES + padded;
	if (!find_room(ring, ring_bytes, bytes, &head)) {
		ring->full++;
		return TC_ACT_UNSPEC;
	}
	/* Blocks are multiples of 4 bytes, which some verifiers have to see. */
	block = (struct capture_block *)((__u8 *)(ring + 1) + (head & (ring_bytes - 4)));
	describe(block, ring);
	block->bytes = (__u32)bytes;
	block->captured = (__u32)captured;
	block->length = (__u32)length;
	trailer = (volatile __u32 *)(block->packet + padded);
	trailer[-1] = 0; /* no stranger's bytes in the padding */
	trailer[0] = (__u32)bytes;
	if (tag) {
		bpf_skb_load_bytes(packet, 0, block->packet, ETHERNET_ADDRESSES);
		put_tag(packet, block->packet + ETHERNET_ADDRESSES);
		captured -= ETHERNET_ADDRESSES + CAPTURE_TAG_BYTES;
		BOUND(captured, 2);
		bpf_skb_load_bytes(packet, ETHERNET_ADDRESSES,
				   block->packet + ETHERNET_ADDRESSES + CAPTURE_TAG_BYTES,
				   (__u32)captured);
	} else {
		bpf_skb_load_bytes(packet, 0, block->packet, (__u32)captured);
	}
	ring->captured++;
	ring->bytes += length;
	/* The block is whole before the agent can see it. */
	asm volatile("" ::: "memory");
	*(volatile __u64 *)&ring->head = head + bytes;
	return TC_ACT_UNSPEC;
}
