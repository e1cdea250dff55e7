// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Forwarding at XDP: a packet for which the kernel has a route and a neighbour goes out at once,
 * from the driver. Everything else goes up, and the kernel forwards, answers or drops it: packets
 * that have IPv4 options or a hop count that ends here, are broadcast, multicast or tagged, have no
 * route, no neighbour or no room at the next port, or would leave by a port that is not in the
 * list.
 */
#include "forward.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NETWORK16(value) __builtin_bswap16(value)
#else
#define NETWORK16(value) ((__u16)(value))
#endif

#define ALWAYS static inline __attribute__((always_inline))

#define TYPE_IPV4 0x0800
#define TYPE_IPV6 0x86dd
#define FAMILY_IPV4 2
#define FAMILY_IPV6 10
#define IPV4_PLAIN 0x45 /* version 4, five words */
#define GROUP 1 /* in the first byte of a MAC address: broadcast or multicast */

struct ethernet {
	__u8 destination[6], source[6];
	__u16 type;
};

struct ipv4 {
	__u8 version_words, tos;
	__u16 length, id, fragment;
	__u8 ttl, protocol;
	__u16 check;
	__u32 source, destination;
};

struct ipv6 {
	__u8 version, class_label[3];
	__u16 length;
	__u8 protocol, hops;
	__u32 source[4], destination[4];
};

/* Decrements the hop count, which is the high byte of a word in the checksum (RFC 1624). */
ALWAYS void ipv4_hop(struct ipv4 *ip)
{
	__u32 check = (__u32)ip->check + NETWORK16(0x0100);

	ip->check = (__u16)(check + (check >= 0xffff));
	ip->ttl--;
}

/* Both fill in the route lookup and return whether the packet may be forwarded here. */
ALWAYS int ask_ipv4(struct fib_lookup *asked, const struct ipv4 *ip, const void *end)
{
	if ((const void *)(ip + 1) > end || ip->version_words != IPV4_PLAIN || ip->ttl <= 1)
		return 0;
	asked->family = FAMILY_IPV4;
	asked->protocol = ip->protocol;
	*(__u8 *)&asked->tos = ip->tos;
	asked->length = NETWORK16(ip->length);
	asked->source[0] = ip->source;
	asked->destination[0] = ip->destination;
	return 1;
}

ALWAYS int ask_ipv6(struct fib_lookup *asked, const struct ipv6 *ip, const void *end)
{
	if ((const void *)(ip + 1) > end || ip->version >> 4 != 6 || ip->hops <= 1)
		return 0;
	asked->family = FAMILY_IPV6;
	asked->protocol = ip->protocol;
	asked->length = (__u16)(NETWORK16(ip->length) + sizeof(*ip));
	for (int i = 0; i < 4; i++) {
		asked->source[i] = ip->source[i];
		asked->destination[i] = ip->destination[i];
	}
	return 1;
}

ALWAYS int is_ours(__u32 device)
{
	__u32 zero = 0;
	const struct forward_ports *ports = bpf_map_lookup_elem(MAP(forward_ports), &zero);
	int ours = 0;

	for (int i = 0; ports && i < FORWARD_PORTS_MOST; i++)
		ours |= ports->index[i] == device;
	return ours;
}

/* Whether the packet has been made ready for `asked->device`. */
ALWAYS int forward_frame(struct xdp_md *frame, struct fib_lookup *asked)
{
	void *end = (void *)(unsigned long)frame->data_end;
	struct ethernet *ethernet = (void *)(unsigned long)frame->data;
	struct ipv4 *ipv4 = (struct ipv4 *)(ethernet + 1);
	struct ipv6 *ipv6 = (struct ipv6 *)(ethernet + 1);
	int is_ipv4;

	if ((void *)(ethernet + 1) > end || ethernet->destination[0] & GROUP)
		return 0;
	is_ipv4 = ethernet->type == NETWORK16(TYPE_IPV4);
	if (!is_ipv4 && ethernet->type != NETWORK16(TYPE_IPV6))
		return 0;
	if (is_ipv4 ? !ask_ipv4(asked, ipv4, end) : !ask_ipv6(asked, ipv6, end))
		return 0;
	asked->device = frame->ingress_ifindex;
	if (bpf_fib_lookup(frame, asked, sizeof(*asked), 0) != FIB_SUCCESS ||
	    !is_ours(asked->device))
		return 0;
	if (is_ipv4)
		ipv4_hop(ipv4);
	else
		ipv6->hops--;
	__builtin_memcpy(ethernet->destination, asked->destination_mac, 6);
	__builtin_memcpy(ethernet->source, asked->source_mac, 6);
	return 1;
}

SECTION(FORWARD_SECTION) int forward(struct xdp_md *frame)
{
	struct fib_lookup asked = { 0 };
	int forwarded = forward_frame(frame, &asked);
	__u32 key = forwarded ? FORWARD_FORWARDED : FORWARD_PASSED;
	__u64 *count = bpf_map_lookup_elem(MAP(forward_counts), &key);

	/* XDP programs do not nest on a CPU: no atomic is needed. */
	if (count)
		++*count;
	return forwarded ? (int)bpf_redirect(asked.device, 0) : XDP_PASS;
}
