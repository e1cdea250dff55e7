// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The classifier where the packets are, at both of tc's hooks of the LAN's device: there both
 * directions show the LAN's own addresses. It marks packets by their flow's class, and does nothing
 * else to them. core/classify.h is what it does; here is how a packet is read and what is looked up.
 *
 * Softirqs of several CPUs may have packets of one flow at a time. What one of them adds to a window
 * may then be lost, as locks would cost more than a window is worth.
 */
#include "classifier/core/classify.h"
#include "bpf/layers_skb.h"
#include "classify.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NETWORK16(value) __builtin_bswap16(value)
#else
#define NETWORK16(value) ((__u16)(value))
#endif

#define ETHERNET_BYTES 14
#define TYPE_AT 12 /* in an Ethernet header */
#define HEADERS_MOST 0x3ff /* bytes up to where an IP packet is looked for */
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES 8
#define TCP_BYTES 20
#define FRAGMENTED 0x3fff /* more fragments, or an offset */
#define US 1000
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

struct ports {
	__u16 source, destination;
};

struct ipv4_udp {
	struct ipv4 ip;
	struct ports ports;
};

/*
 * All that is known of a packet is in a map's memory: the verifier does not know what is there, so
 * it need not follow the same code once for each way that led to it.
 */
struct tables {
	struct classify_work work;
};

INLINE void count(__u32 kind)
{
	__u64 *packets = bpf_map_lookup_elem(MAP(classify_counts), &kind);

	if (packets)
		++*packets;
}

SHARED struct pulse *table_flow(struct tables *tables, const struct flow_key *key)
{
	if (key->family == 4)
		return bpf_map_lookup_elem(MAP(classify_flows4), &tables->work.ipv4);
	return bpf_map_lookup_elem(MAP(classify_flows6), key);
}

SHARED struct pulse *table_flow_make(struct tables *tables, const struct flow_key *key)
{
	if (key->family == 4)
		bpf_map_update_elem(MAP(classify_flows4), &tables->work.ipv4, &tables->work.blank,
				    BPF_NOEXIST);
	else
		bpf_map_update_elem(MAP(classify_flows6), key, &tables->work.blank, BPF_NOEXIST);
	return table_flow(tables, key);
}

SHARED struct decision *table_decision(struct tables *tables, const struct flow_key *key)
{
	(void)tables;
	return bpf_map_lookup_elem(MAP(classify_decided), key);
}

SHARED struct decision *table_decision_make(struct tables *tables, const struct flow_key *key)
{
	struct decision *decision;

	bpf_map_update_elem(MAP(classify_decided), key, &tables->work.blank, BPF_NOEXIST);
	decision = table_decision(tables, key);
	if (!decision)
		count(CLASSIFY_FULL);
	return decision;
}

SHARED void table_decision_drop(struct tables *tables, const struct flow_key *key)
{
	(void)tables;
	bpf_map_delete_elem(MAP(classify_decided), key);
}

SHARED void table_untracked(struct tables *tables)
{
	(void)tables;
	count(CLASSIFY_UNTRACKED);
}

SHARED struct host *table_host(struct tables *tables, const struct flow_key *key)
{
	struct host *host = bpf_map_lookup_elem(MAP(classify_hosts), key->lan);

	if (host)
		return host;
	bpf_map_update_elem(MAP(classify_hosts), key->lan, &tables->work.blank, BPF_NOEXIST);
	return bpf_map_lookup_elem(MAP(classify_hosts), key->lan);
}

SHARED struct bucket *table_probation(struct tables *tables)
{
	__u32 zero = 0;

	(void)tables;
	return bpf_map_lookup_elem(MAP(classify_sparse), &zero);
}

SHARED struct rest *table_rest(struct tables *tables, __u32 place)
{
	(void)tables;
	return CONSTANT(classify_passes) ? bpf_map_lookup_elem(MAP(classify_rests), &place) : 0;
}

SHARED int table_slides(const struct tables *tables)
{
	(void)tables;
	return CONSTANT(classify_slides) != 0;
}

SHARED __u32 table_keeps(const struct tables *tables)
{
	(void)tables;
	return (__u32)CONSTANT(classify_keeps);
}

INLINE int is_transport(__u8 protocol)
{
	return protocol == CLASSIFY_TCP || protocol == CLASSIFY_UDP;
}

/* Whether an IP packet has room for its headers. */
INLINE int holds(const struct seen *seen, __u32 header)
{
	return seen->moment.length >=
	       header + (seen->key.protocol == CLASSIFY_TCP ? TCP_BYTES : UDP_BYTES);
}

/* The program is loaded once for each: the verifier takes the other one's branches out. */
INLINE int is_up(void)
{
	return CONSTANT(classify_way) == WAY_UP;
}

INLINE void set_ports(struct seen *seen, const struct ports *ports)
{
	seen->key.lan_port = is_up() ? ports->source : ports->destination;
	seen->key.wan_port = is_up() ? ports->destination : ports->source;
}

/* `whole`: bytes of a packet whose own length is 0, as it has none or is longer than it can say. */
INLINE int read_ipv4(struct classify_work *work, const struct ipv4 *ip, const void *end,
		     __u32 whole)
{
	struct seen *seen = &work->seen;
	const struct ports *ports;
	__u32 header;

	if ((const void *)(ip + 1) > end || ip->fragment & NETWORK16(FRAGMENTED) ||
	    !is_transport(ip->protocol))
		return 0;
	header = (ip->version_words & 15) * 4;
	ports = (const void *)ip + header;
	seen->moment.length = ip->length ? NETWORK16(ip->length) : whole;
	seen->key.protocol = ip->protocol;
	seen->key.family = 4;
	if (header < IPV4_BYTES || (const void *)(ports + 1) > end || !holds(seen, header))
		return 0;
	seen->key.lan[0] = is_up() ? ip->source : ip->destination;
	seen->key.wan[0] = is_up() ? ip->destination : ip->source;
	set_ports(seen, ports);
	work->headers = header + UDP_BYTES;
	return 1;
}

/* Past IPv6's header and its extension headers, which are rare: these are copied. */
INLINE int find_ports(struct packet *packet, struct layers *layers, struct ports *ports)
{
	const struct layers_source source = { packet };

	return layers_past_extensions(&source, layers) && !layers->fragment &&
	       is_transport(layers->protocol) &&
	       !layers_load(&source, layers->at, ports, sizeof(*ports));
}

INLINE int read_ipv6(struct packet *packet, struct classify_work *work, __u32 ip_at,
		     const void *end, __u32 whole)
{
	struct seen *seen = &work->seen;
	const struct ipv6 *ip = (const void *)(unsigned long)packet->data + ip_at;
	const struct ports *next = (const void *)(ip + 1);
	struct layers layers = { .at = ip_at + IPV6_BYTES };
	struct ports ports;

	if ((const void *)(next + 1) > end)
		return 0;
	layers.protocol = ip->protocol;
	ports = *next;
	if (!is_transport(layers.protocol) && !find_ports(packet, &layers, &ports))
		return 0;
	seen->moment.length = ip->length ? NETWORK16(ip->length) + IPV6_BYTES : whole;
	seen->key.protocol = layers.protocol;
	seen->key.family = 6;
	if (!holds(seen, layers.at - ip_at))
		return 0;
	for (int i = 0; i < 4; i++) {
		__u32 source = ip->source[i], destination = ip->destination[i];

		seen->key.lan[i] = is_up() ? source : destination;
		seen->key.wan[i] = is_up() ? destination : source;
	}
	set_ports(seen, &ports);
	work->headers = layers.at == ip_at + IPV6_BYTES ? IPV6_BYTES + UDP_BYTES : 0;
	return 1;
}

/*
 * Looks for an IP packet behind tags, labels or in a session. Returns its type; 0: there is none.
 * Its place goes through the map's memory, see struct tables.
 */
INLINE __u32 look_inside(const struct packet *packet, struct classify_work *work)
{
	const struct layers_source source = { packet };
	struct layers layers = { .at = ETHERNET_BYTES };
	__u8 word[2];
	__u32 type;

	if (CONSTANT(classify_raw) || layers_load(&source, TYPE_AT, word, sizeof(word)))
		return 0;
	type = layers_to_ip(&source, &layers, layers_u16(word));
	*(volatile __u32 *)&work->place = layers.at;
	return type;
}

/*
 * Headers before IP are 14 bytes and a multiple of 4, but for sessions that leave a byte out. On a
 * processor that reads no word at an odd place the verifier has to see that this place is none.
 */
INLINE __u32 even_place(__u32 place)
{
	return place % 4 == ETHERNET_BYTES % 4 ? (place & (HEADERS_MOST & ~3u)) | 2 : 0;
}

/* Whether the packet is of a flow. A driver may leave its headers outside the first piece. */
INLINE int read_packet(struct packet *packet, struct classify_work *work)
{
	__u32 type = NETWORK16((__u16)packet->protocol);
	__u32 ip_at = CONSTANT(classify_raw) ? 0 : ETHERNET_BYTES, least;
	const void *data, *end;

	if (type != TYPE_IPV4 && type != TYPE_IPV6) {
		type = look_inside(packet, work);
		ip_at = *(volatile __u32 *)&work->place;
	}
	if (!type || ip_at > HEADERS_MOST)
		return 0;
	*(volatile __u32 *)&work->place = ip_at;
	if (CONSTANT(classify_even)) {
		ip_at = even_place(*(volatile __u32 *)&work->place);
		if (!ip_at)
			return 0;
	}
	least = ip_at + IPV6_BYTES + (__u32)sizeof(struct ports);
	data = (const void *)(unsigned long)packet->data;
	end = (const void *)(unsigned long)packet->data_end;
	if (data + least > end && packet->length >= least)
		bpf_skb_pull_data(packet, least);
	data = (const void *)(unsigned long)packet->data;
	end = (const void *)(unsigned long)packet->data_end;
	if (type == TYPE_IPV4)
		return read_ipv4(work, data + ip_at, end, packet->length - ip_at);
	return read_ipv6(packet, work, ip_at, end, packet->length - ip_at);
}

/* The beginning of UDP's payload, where all of it is at hand, and no extension header before it. */
INLINE void read_head(const struct packet *packet, struct classify_work *work)
{
	__u32 headers = work->headers, length = work->seen.moment.length;
	struct head *head = &work->seen.head;

	if (work->seen.key.protocol != CLASSIFY_UDP || !headers || length < headers + HEAD_BYTES)
		return;
	if (!bpf_skb_load_bytes(packet, *(volatile __u32 *)&work->place + headers, head->byte,
				HEAD_BYTES))
		head->bytes = length - headers;
}

INLINE void set_key(struct classify_work *work)
{
	struct flow_ipv4_key *ipv4 = &work->ipv4;

	ipv4->lan = work->seen.key.lan[0];
	ipv4->wan = work->seen.key.wan[0];
	ipv4->lan_port = work->seen.key.lan_port;
	ipv4->wan_port = work->seen.key.wan_port;
	ipv4->protocol = work->seen.key.protocol;
}

INLINE __u64 now_us(const struct packet *packet)
{
	return (CONSTANT(classify_replay) ? packet->time_ns : bpf_ktime_get_ns()) / US;
}

/*
 * Whether a packet passes without a look: all that such a one costs, so nothing is copied. What is
 * rare in it, such as an option of IP, is left to the long way, which knows the same places.
 */
INLINE int passes(struct packet *packet, __u32 mask)
{
	const void *data = (const void *)(unsigned long)packet->data;
	const void *end = (const void *)(unsigned long)packet->data_end;
	const struct ipv4_udp *udp = data + ETHERNET_BYTES;
	struct rest_key key;
	struct rest *rest;
	__u32 place, length;

	if (packet->protocol != NETWORK16(TYPE_IPV4) || (const void *)(udp + 1) > end ||
	    udp->ip.version_words != 0x45 || udp->ip.protocol != CLASSIFY_UDP ||
	    udp->ip.fragment & NETWORK16(FRAGMENTED))
		return 0;
	length = NETWORK16(udp->ip.length);
	key.lan = is_up() ? udp->ip.source : udp->ip.destination;
	key.wan = is_up() ? udp->ip.destination : udp->ip.source;
	key.ports = is_up() ? (__u32)udp->ports.source << 16 | udp->ports.destination
			    : (__u32)udp->ports.destination << 16 | udp->ports.source;
	place = rest_place(&key);
	rest = bpf_map_lookup_elem(MAP(classify_rests), &place);
	if (!rest || length < IPV4_BYTES + UDP_BYTES || !rest_passes(rest, &key, length))
		return 0;
	count(CLASSIFY_SEEN);
	if (rest->mark)
		count(CLASSIFY_MARKED);
	packet->mark = (packet->mark & ~mask) | (rest->mark & mask);
	return 1;
}

SECTION(CLASSIFY_SECTION) int classify_packet(struct packet *packet)
{
	__u32 zero = 0, mask = (__u32)CONSTANT(classify_mask);
	struct classify_work *work;
	const struct model *model;
	struct tables *tables;
	__u32 *active;

	if (CONSTANT(classify_passes) && !CONSTANT(classify_raw) && passes(packet, mask))
		return TC_ACT_UNSPEC;
	tables = bpf_map_lookup_elem(MAP(classify_work), &zero);
	active = bpf_map_lookup_elem(MAP(classify_active), &zero);
	model = active ? bpf_map_lookup_elem(MAP(classify_models), active) : 0;
	if (!tables || !model)
		return TC_ACT_UNSPEC;
	work = &tables->work;
	__builtin_memset(&work->seen, 0, sizeof(work->seen));
	work->seen.moment.way = (__u32)CONSTANT(classify_way);
	if (!read_packet(packet, work)) {
		count(CLASSIFY_OTHER);
		return TC_ACT_UNSPEC;
	}
	/* A packet of another protocol is left alone, and needs no clock. */
	if (classify_knows(model, &work->seen.key)) {
		work->seen.moment.time_us = now_us(packet);
		if (table_keeps(tables) & KEEPS_HEADERS)
			read_head(packet, work);
	}
	set_key(work);
	classify(tables, model, &work->scratch, &work->seen, &work->outcome);
	count(CLASSIFY_SEEN);
	if (work->outcome.mark)
		count(CLASSIFY_MARKED);
	packet->mark = (packet->mark & ~mask) | (work->outcome.mark & mask);
	return TC_ACT_UNSPEC;
}
