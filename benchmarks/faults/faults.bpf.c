// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Faults for tc's hooks, a section each (faults.toml). Counters and clocks are per CPU of the
 * gateway, which has one.
 */
#include "kernel.h"

#define DROP 2 /* TC_ACT_SHOT */
#define SOURCE_PORT 34 /* of UDP without options behind Ethernet */
#define TTL 22
#define PAYLOAD_END 4 /* bytes from a frame's end: behind the test header */
#define MS 1000000ull

struct {
	int (*type)[2]; /* BPF_MAP_TYPE_ARRAY */
	__u32 *key;
	__u64 *value;
	int (*max_entries)[4];
} state SECTION(".maps");

static __u32 (*const bpf_get_prandom_u32)(void) = (void *)7;
static long (*const bpf_skb_store_bytes)(struct packet *packet, __u32 at, const void *from,
					 __u32 bytes, __u64 flags) = (void *)9;

char words[] SECTION("license") = "Dual BSD/GPL";

static long is_over(__u32 step, void *until)
{
	return bpf_ktime_get_ns() >= *(__u64 *)until;
}

INLINE void wait_until(__u64 until)
{
	bpf_loop(1 << 22, is_over, &until, 0);
}

INLINE int one_of(__u32 count)
{
	return bpf_get_prandom_u32() % count == 0;
}

INLINE void turn_bits(struct packet *packet, __u32 at)
{
	__u8 byte = 0;

	bpf_skb_load_bytes(packet, at, &byte, 1);
	byte ^= 0x10;
	bpf_skb_store_bytes(packet, at, &byte, 1, 0);
}

SECTION("tc/share") int share(struct packet *packet)
{
	return one_of(60) ? DROP : TC_ACT_UNSPEC;
}

SECTION("tc/rare_bit") int rare_bit(struct packet *packet)
{
	if (one_of(3000))
		turn_bits(packet, packet->length - PAYLOAD_END);
	return TC_ACT_UNSPEC;
}

SECTION("tc/header_bit") int header_bit(struct packet *packet)
{
	if (one_of(300))
		turn_bits(packet, TTL);
	return TC_ACT_UNSPEC;
}

SECTION("tc/slow_ports") int slow_ports(struct packet *packet)
{
	__u8 port[2] = { 0, 0 };

	bpf_skb_load_bytes(packet, SOURCE_PORT, port, 2);
	if ((port[0] << 8 | port[1]) / 8 == 20016 / 8)
		wait_until(bpf_ktime_get_ns() + 60000);
	return TC_ACT_UNSPEC;
}

/* An eighth of the ports, others after each 100 ms without a packet. */
SECTION("tc/moving_hash") int moving_hash(struct packet *packet)
{
	__u32 first = 0, second = 1;
	__u64 now = bpf_ktime_get_ns(), *last = bpf_map_lookup_elem(&state, &first);
	__u64 *seed = bpf_map_lookup_elem(&state, &second);
	__u8 port[2] = { 0, 0 };

	if (!last || !seed)
		return TC_ACT_UNSPEC;
	if (now - *last > 100 * MS)
		*seed = bpf_get_prandom_u32();
	*last = now;
	bpf_skb_load_bytes(packet, SOURCE_PORT, port, 2);
	return ((port[0] << 8 | port[1]) ^ (__u32)*seed) * 0x9E3779B1u >> 29 ? TC_ACT_UNSPEC : DROP;
}

SECTION("tc/stall") int stall(struct packet *packet)
{
	__u64 now = bpf_ktime_get_ns();

	if (now % (300 * MS) < 40 * MS)
		wait_until(now - now % (300 * MS) + 40 * MS);
	return TC_ACT_UNSPEC;
}

/* 20 000 packets/s, 5 000 at once. */
SECTION("tc/bucket") int bucket(struct packet *packet)
{
	__u32 first = 0, second = 1;
	__u64 now = bpf_ktime_get_ns(), *left_ns = bpf_map_lookup_elem(&state, &first);
	__u64 *last = bpf_map_lookup_elem(&state, &second);

	if (!left_ns || !last)
		return TC_ACT_UNSPEC;
	*left_ns += now - *last;
	*last = now;
	if (*left_ns > 250 * MS)
		*left_ns = 250 * MS;
	if (*left_ns < 50000)
		return DROP;
	*left_ns -= 50000;
	return TC_ACT_UNSPEC;
}

/* Since when packets come: 100 ms without one end it. */
INLINE __u64 load_ns(__u64 now)
{
	__u32 first = 0, second = 1;
	__u64 *last = bpf_map_lookup_elem(&state, &first);
	__u64 *since = bpf_map_lookup_elem(&state, &second);

	if (!last || !since)
		return 0;
	if (now - *last > 100 * MS)
		*since = now;
	*last = now;
	return now - *since;
}

SECTION("tc/heat") int heat(struct packet *packet)
{
	__u64 now = bpf_ktime_get_ns();

	if (load_ns(now) > 200 * MS)
		wait_until(now + 40000);
	return TC_ACT_UNSPEC;
}

SECTION("tc/at_times") int at_times(struct packet *packet)
{
	int is_bad = bpf_ktime_get_ns() % (330 * MS) < 100 * MS;

	return is_bad && bpf_get_prandom_u32() % 10 < 3 ? DROP : TC_ACT_UNSPEC;
}

/* 160 packets in 10 ms begin half a second in which 40 % are lost. */
SECTION("tc/triggered") int triggered(struct packet *packet)
{
	__u32 first = 0, second = 1, third = 2;
	__u64 now = bpf_ktime_get_ns(), *slot = bpf_map_lookup_elem(&state, &first);
	__u64 *count = bpf_map_lookup_elem(&state, &second);
	__u64 *until = bpf_map_lookup_elem(&state, &third);

	if (!slot || !count || !until)
		return TC_ACT_UNSPEC;
	if (now / (10 * MS) != *slot) {
		*slot = now / (10 * MS);
		*count = 0;
	}
	if (++*count > 160)
		*until = now + 500 * MS;
	return now < *until && bpf_get_prandom_u32() % 10 < 4 ? DROP : TC_ACT_UNSPEC;
}

/* 10 Mbit/s of frames, 150 kB at once: a byte takes 800 ns. */
SECTION("tc/bytes") int bytes(struct packet *packet)
{
	__u32 first = 0, second = 1;
	__u64 now = bpf_ktime_get_ns(), *left_ns = bpf_map_lookup_elem(&state, &first);
	__u64 *last = bpf_map_lookup_elem(&state, &second), cost = (packet->length + 4) * 800ull;

	if (!left_ns || !last)
		return TC_ACT_UNSPEC;
	*left_ns += now - *last;
	*last = now;
	if (*left_ns > 120 * MS)
		*left_ns = 120 * MS;
	if (*left_ns < cost)
		return DROP;
	*left_ns -= cost;
	return TC_ACT_UNSPEC;
}
