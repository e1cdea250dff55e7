// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
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

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/*
 * What the verifier has to know of a number, in immediate numbers, as that of Linux 6.1
 * learns nothing from others, and nothing from a comparison with zero.
 */
#define BOUND(value, least)                                                                        \
	do {                                                                                       \
		asm volatile("%0 &= 0xffff" : "+r"(value));                                        \
		if ((value) < (least))                                                             \
			return;                                                                    \
	} while (0)

/* What is copied word by word: a helper's call costs as much as 60 bytes. */
#define WORDS_LEAST 32
#define WORDS_MOST 96

#define CACHE_LINE 64 /* bytes */

/* Where a block of so many bytes goes, in *head. Returns 0 if the ring is full. */
INLINE int find_room(struct capture_ring *ring, __u64 bytes, __u64 *head)
{
	__u64 ring_bytes = CONSTANT(capture_ring_bytes), before = ring->head, at = before;

	if (UNLIKELY((at & CONSTANT(capture_place)) + bytes > ring_bytes)) {
		at = (at | (ring_bytes - 1)) + 1; /* the next lap */
		asm volatile("" : "+r"(at)); /* computed here alone */
	}
	if (at + bytes - ring->tail > ring_bytes)
		return 0;
	if (at != before)
		ring->end = before;
	*head = at;
	return 1;
}

/* The tag goes back to where it was on the wire: behind the addresses. */
INLINE void put_tag(const struct packet *packet, __u8 *to)
{
	*(__u16 *)to = (__u16)packet->vlan_protocol; /* as it is on the wire */
	to[2] = (__u8)(packet->vlan_control >> 8);
	to[3] = (__u8)packet->vlan_control;
}

/* Copies 32 bytes. */
INLINE void copy_words(__u8 *to, const __u8 *from)
{
	for (int i = 0; i < WORDS_LEAST; i += 8)
		*(__u64 *)(to + i) = *(const __u64 *)(from + i);
}

/*
 * Copies the packet's beginning where all of it is in one piece, its last 32 bytes in any case, so
 * that there is no loop. Returns 0 where a helper has to.
 */
INLINE int copy_short(const struct packet *packet, __u8 *to, __u64 captured)
{
	const __u8 *data = (const __u8 *)(__u64)packet->data;
	const __u8 *end = (const __u8 *)(__u64)packet->data_end;
	__u64 rest = captured - WORDS_LEAST;
	const __u8 *last;

	if (!CONSTANT(capture_unaligned) || rest > WORDS_MOST - WORDS_LEAST)
		return 0;
	last = data + rest;
	asm volatile("" : "+r"(last)); /* the verifier has to see this very sum compared */
	if (data + WORDS_LEAST > end || last + WORDS_LEAST > end)
		return 0;
	copy_words(to, data);
	if (rest > WORDS_LEAST && data + 2 * WORDS_LEAST <= end)
		copy_words(to + WORDS_LEAST, data + WORDS_LEAST);
	copy_words(to + rest, last);
	return 1;
}

INLINE void copy_tagged(struct packet *packet, __u8 *to, __u64 captured)
{
	bpf_skb_load_bytes(packet, 0, to, ETHERNET_ADDRESSES);
	put_tag(packet, to + ETHERNET_ADDRESSES);
	bpf_skb_load_bytes(packet, ETHERNET_ADDRESSES, to + ETHERNET_ADDRESSES + CAPTURE_TAG_BYTES,
			   (__u32)captured);
}

/* This CPU's ring; where there is no other CPU it is not asked for. */
INLINE struct capture_ring *find_ring(void)
{
	__u32 cpu = CONSTANT(capture_rings) == 1 ? 0 : bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(MAP(capture_ring), &cpu);
}

/* Bounds are where the verifier needs them; `tag` is 0 or CAPTURE_TAG_BYTES. */
INLINE void copy(struct packet *packet, __u8 *to, __u64 captured, __u64 tag)
{
	if (!tag && copy_short(packet, to, captured))
		return;
	if (tag) {
		captured -= ETHERNET_ADDRESSES + CAPTURE_TAG_BYTES;
		BOUND(captured, 2);
		copy_tagged(packet, to, captured);
	} else {
		BOUND(captured, ETHERNET_BYTES);
		bpf_skb_load_bytes(packet, 0, to, (__u32)captured);
	}
}

/*
 * The cache lines of the next block are asked for now, so that they are there when it is written. A
 * ring is larger than a small cache: with this a packet took 16 ns of 90 less (5 to 27; x86-64).
 */
INLINE void fetch_next(const struct capture_ring *ring, __u64 head)
{
	const volatile __u8 *next =
		(const volatile __u8 *)(ring + 1) + (head & CONSTANT(capture_place));

	(void)next[CACHE_LINE];
	(void)next[2 * CACHE_LINE];
}

INLINE void put_block(struct packet *packet, struct capture_ring *ring, __u64 time_ns, __u64 tag)
{
	__u64 snaplen = CONSTANT(capture_snaplen), length = packet->length + tag;
	__u64 captured = length < snaplen ? length : snaplen, padded, bytes, head;
	struct capture_block *block;
	volatile __u32 *trailer;

	asm volatile("%0 &= 0xffff" : "+r"(captured));
	padded = (captured + 3) & ~3ull;
	bytes = CAPTURE_BLOCK_BYTES + padded;
	if (!find_room(ring, bytes, &head)) {
		ring->full++;
		return;
	}
	block = (struct capture_block *)((__u8 *)(ring + 1) + (head & CONSTANT(capture_place)));
	time_ns += ring->realtime_ns;
	block->type = CAPTURE_BLOCK_TYPE;
	block->bytes = (__u32)bytes;
	block->interface = (__u32)CONSTANT(capture_interface);
	block->time_high = (__u32)(time_ns >> 32);
	block->time_low = (__u32)time_ns;
	block->captured = (__u32)captured;
	block->length = (__u32)length;
	trailer = (volatile __u32 *)(block->packet + padded);
	trailer[-1] = 0; /* no stranger's bytes in the padding */
	trailer[0] = (__u32)bytes;
	copy(packet, block->packet, captured, tag);
	ring->captured++;
	ring->bytes += length;
	/* The block is whole before the agent can see it. */
	asm volatile("" ::: "memory");
	head += bytes;
	*(volatile __u64 *)&ring->head = head;
	fetch_next(ring, head);
}

/* The time comes first, so that hardly a call is left to keep registers over. */
SECTION(CAPTURE_SECTION) int capture(struct packet *packet)
{
	__u64 time_ns = bpf_ktime_get_ns();
	struct capture_ring *ring = find_ring();

	if (!ring)
		return TC_ACT_UNSPEC;
	if (UNLIKELY(packet->vlan_present))
		put_block(packet, ring, time_ns, CAPTURE_TAG_BYTES);
	else
		put_block(packet, ring, time_ns, 0);
	return TC_ACT_UNSPEC;
}
