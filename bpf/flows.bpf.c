// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Flow records kept where the packets are: each packet that crosses a device counts in its flow's
 * entry of a hash table, and nothing else is done to it. What has no IP packet in it is counted as
 * other; a packet of a new flow that finds the table full, as untracked. Fragments but the first,
 * which has the ports, are of a flow with ports 0. ICMP's type and code are in the place of the
 * destination port. What GRO has merged, or what a device is yet to cut up, counts as the packets
 * that it is on the wire.
 */
#include "flows.h"
#include "layers_skb.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NETWORK16(value) __builtin_bswap16(value)
#define NETWORK32(value) __builtin_bswap32(value)
#else
#define NETWORK16(value) ((__u16)(value))
#define NETWORK32(value) ((__u32)(value))
#endif

#define PROTOCOL_ICMP 1
#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define PROTOCOL_ICMPV6 58
#define ETHERNET_BYTES 14
#define HEADERS_MOST 0x3fff /* bytes up to where ports are looked for */
#define TYPE_AT 12 /* in an Ethernet header */
#define UDP_BYTES 8
#define NOT_FIRST 0x1fff /* offset of a fragment, in 8 bytes */
#define BPF_NOEXIST 1

struct ipv4 {
	__u8 version_words, service;
	__u16 length, id, fragment;
	__u8 ttl, protocol;
	__u16 check;
	__u32 source, destination;
};

struct ipv6 {
	__u32 version_class_label;
	__u16 length;
	__u8 protocol, hops;
	__u32 source[4], destination[4];
};

struct transport {
	__u16 source, destination;
	__u8 rest[8];
	__u8 tcp_words; /* of its header, in the upper half */
	__u8 tcp_flags;
};

/* What a packet says besides its addresses. */
struct seen {
	__u32 packets; /* on the wire */
	__u32 bytes;
	__u32 header_bytes; /* of IP and TCP or UDP: of each of the packets */
	__u16 source_port, destination_port;
	__u8 protocol, service, tcp_flags;
};

INLINE void count(__u32 kind, __u32 packets)
{
	__u64 *counted = bpf_map_lookup_elem(MAP(flows_counts), &kind);

	/* Softirqs do not nest on a CPU: no atomic is needed. */
	if (counted)
		*counted += packets;
}

/*
 * A place in the packet by way of a map's memory, of which the verifier knows nothing: it need not
 * follow what comes behind once for each way that led there. Behind HEADERS_MOST it is 0.
 */
INLINE __u32 forget(__u32 place)
{
	__u32 kind = FLOWS_PLACE;
	__u64 *memory = bpf_map_lookup_elem(MAP(flows_counts), &kind);

	if (!memory)
		return 0;
	*(volatile __u64 *)memory = place;
	place = (__u32) * (volatile __u64 *)memory;
	return place > HEADERS_MOST ? 0 : place;
}

INLINE void read_transport(struct seen *seen, const void *at, const void *end)
{
	const struct transport *transport = at;

	if ((const void *)&transport->destination > end)
		return;
	/* RFC 792, RFC 4443: the first bytes are type and code, which collectors read there. */
	if (seen->protocol == PROTOCOL_ICMP || seen->protocol == PROTOCOL_ICMPV6)
		seen->destination_port = transport->source;
	if (seen->protocol != PROTOCOL_TCP && seen->protocol != PROTOCOL_UDP)
		return;
	if ((const void *)transport->rest > end)
		return;
	seen->source_port = transport->source;
	seen->destination_port = transport->destination;
	if (seen->protocol == PROTOCOL_UDP)
		seen->header_bytes += UDP_BYTES;
	if (seen->protocol == PROTOCOL_TCP && (const void *)(transport + 1) <= end) {
		seen->tcp_flags = transport->tcp_flags;
		seen->header_bytes += (transport->tcp_words >> 4) * 4;
	}
}

/* Several CPUs may have packets of one flow; one alone needs no atomic. */
INLINE void add_to(__u64 *number, __u64 more)
{
	if (CONSTANT(flows_cpus) == 1)
		*number += more;
	else
		__sync_fetch_and_add(number, more);
}

/*
 * A flow's first packet of a way has the exact time, the others that of the last tick: to read the
 * clock takes more than a third of all that is done here. A tick from before the first is not later.
 */
INLINE void set_time(struct flow *flow, __u32 way)
{
	__u64 now_ns = CONSTANT(flows_ticks) ? bpf_ktime_get_coarse_ns() : bpf_ktime_get_ns();

	if (!flow->first_ns[way & 1])
		flow->first_ns[way & 1] = flow->last_ns[way & 1] = bpf_ktime_get_ns();
	else if (now_ns > flow->last_ns[way & 1])
		flow->last_ns[way & 1] = now_ns;
}

INLINE void add(struct flow *flow, const struct seen *seen, __u32 way)
{
	__u64 bytes = seen->bytes + (__u64)(seen->packets - 1) * seen->header_bytes;

	add_to(&flow->packets[way & 1], seen->packets);
	add_to(&flow->bytes[way & 1], bytes);
	flow->tcp_flags[way & 1] |= seen->tcp_flags;
	set_time(flow, way);
}

/* Another CPU may have made it meanwhile. It has its time: the agent may see it before add(). */
INLINE struct flow *begin(void *map, const void *key, const struct seen *seen, __u32 way)
{
	__u64 now_ns = bpf_ktime_get_ns();
	__u64 up_ns = way == FLOW_UP ? now_ns : 0, down_ns = now_ns - up_ns;
	struct flow new = { .first_ns = { up_ns, down_ns }, .last_ns = { up_ns, down_ns } };

	new.first_way = (__u8)way;
	new.service = seen->service;
	bpf_map_update_elem(map, key, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

INLINE void enter(void *map, const void *key, const struct seen *seen, __u32 way)
{
	struct flow *flow = bpf_map_lookup_elem(map, key);

	if (!flow)
		flow = begin(map, key, seen, way);
	if (flow)
		add(flow, seen, way);
	count(flow ? FLOWS_COUNTED : FLOWS_UNTRACKED, seen->packets);
}

INLINE void enter_ipv4(const struct ipv4 *ip, const struct seen *seen)
{
	__u32 way = ip->source > ip->destination ||
		    (ip->source == ip->destination && seen->source_port > seen->destination_port);
	struct flow_ipv4 key = { .protocol = seen->protocol };

	key.low = way ? ip->destination : ip->source;
	key.high = way ? ip->source : ip->destination;
	key.low_port = way ? seen->destination_port : seen->source_port;
	key.high_port = way ? seen->source_port : seen->destination_port;
	enter(MAP(flows_ipv4), &key, seen, way);
}

/* `whole`: bytes of a packet whose own length is 0, as it is longer than it can say (BIG TCP). */
INLINE int take_ipv4(const struct ipv4 *ip, const void *end, __u32 packets, __u32 whole)
{
	struct seen seen = { .packets = packets };

	if ((const void *)(ip + 1) > end)
		return 0;
	seen.header_bytes = (ip->version_words & 15) * 4;
	seen.bytes = ip->length ? NETWORK16(ip->length) : whole;
	seen.protocol = ip->protocol;
	seen.service = ip->service;
	if (!(ip->fragment & NETWORK16(NOT_FIRST)))
		read_transport(&seen, (const void *)ip + seen.header_bytes, end);
	enter_ipv4(ip, &seen);
	return 1;
}

/* Whether the source is the higher end. */
INLINE __u32 is_higher(const struct ipv6 *ip, const struct seen *seen)
{
	for (int i = 0; i < 4; i++)
		if (ip->source[i] != ip->destination[i])
			return ip->source[i] > ip->destination[i];
	return seen->source_port > seen->destination_port;
}

INLINE void enter_ipv6(const struct ipv6 *ip, const struct seen *seen)
{
	__u32 way = is_higher(ip, seen);
	struct flow_ipv6 key = { .protocol = seen->protocol };

	for (int i = 0; i < 4; i++) {
		key.low[i] = way ? ip->destination[i] : ip->source[i];
		key.high[i] = way ? ip->source[i] : ip->destination[i];
	}
	key.low_port = way ? seen->destination_port : seen->source_port;
	key.high_port = way ? seen->source_port : seen->destination_port;
	enter(MAP(flows_ipv6), &key, seen, way);
}

/*
 * Past the extension headers, where there are any. They are copied: a driver may leave them outside
 * the first piece, where the ports are then left out.
 */
INLINE const void *past_extensions(struct seen *seen, const struct packet *packet, __u32 ip_at)
{
	const struct layers_source source = { packet };
	struct layers layers = { .at = ip_at + sizeof(struct ipv6), .protocol = seen->protocol };
	__u32 at;

	layers_past_extensions(&source, &layers);
	at = layers.unread || layers.fragment == FRAGMENT_LATER ? 0 : forget(layers.at);
	seen->protocol = layers.protocol;
	seen->header_bytes = layers.at - ip_at;
	return at ? (const void *)(unsigned long)packet->data + at : 0;
}

INLINE int take_ipv6(const struct packet *packet, __u32 ip_at, const void *end, __u32 packets)
{
	const struct ipv6 *ip = (const void *)(unsigned long)packet->data + ip_at;
	const void *next = ip + 1;
	struct seen seen = { .packets = packets, .header_bytes = sizeof(*ip) };

	if (next > end)
		return 0;
	seen.bytes = ip->length ? NETWORK16(ip->length) + (__u32)sizeof(*ip)
				: packet->length - ip_at;
	seen.protocol = ip->protocol;
	seen.service = (__u8)(NETWORK32(ip->version_class_label) >> 20);
	if (layers_is_extension(seen.protocol))
		next = past_extensions(&seen, packet, ip_at);
	if (next)
		read_transport(&seen, next, end);
	enter_ipv6(ip, &seen);
	return 1;
}

/* Where the IP packet begins that is behind tags, labels or in a session; its type, or 0. */
INLINE __u32 look_inside(const struct packet *packet, __u32 *ip_at)
{
	const struct layers_source source = { packet };
	struct layers layers = { .at = ETHERNET_BYTES };
	__u8 word[2];
	__u32 type;

	if (CONSTANT(flows_raw) || layers_load(&source, TYPE_AT, word, sizeof(word)))
		return 0;
	type = layers_to_ip(&source, &layers, layers_u16(word));
	*ip_at = type ? forget(layers.at) : 0;
	return *ip_at ? type : 0;
}

SECTION(FLOWS_SECTION) int flows(struct packet *packet)
{
	const void *end = (const void *)(unsigned long)packet->data_end;
	__u32 type = NETWORK16((__u16)packet->protocol);
	__u32 packets = packet->segments ? packet->segments : 1;
	__u32 ip_at = CONSTANT(flows_raw) ? 0 : ETHERNET_BYTES;
	int taken = 0;

	if (type != TYPE_IPV4 && type != TYPE_IPV6)
		type = look_inside(packet, &ip_at);
	if (type == TYPE_IPV4)
		taken = take_ipv4((const void *)(unsigned long)packet->data + ip_at, end, packets,
				  packet->length - ip_at);
	else if (type == TYPE_IPV6)
		taken = take_ipv6(packet, ip_at, end, packets);
	if (!taken)
		count(FLOWS_OTHER, packets);
	return TC_ACT_UNSPEC;
}
