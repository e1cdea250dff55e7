// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * The part of the kernel's BPF interface that our programs use, so that they build without
 * vmlinux.h and without libbpf. Numbers are those of include/uapi/linux/bpf.h and never change.
 */
#ifndef GM_BPF_KERNEL_H
#define GM_BPF_KERNEL_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef int __s32;
typedef unsigned long long __u64;
typedef long long __s64;

/* The loader takes one section as one program with its static functions; the entry comes first. */
#define SECTION(name) __attribute__((section(name), used))

#define INLINE static inline __attribute__((always_inline))

/*
 * A map by its name. The reference is made in assembly: a C variable would need a BTF entry (VAR,
 * DATASEC) that the kernel refuses unless it is rewritten, as libbpf does. The agent
 * creates the map and relocates the name (agent/src/kernel/bpf_link.c).
 */
#define MAP(name)                                                                                  \
	({                                                                                         \
		void *map_;                                                                        \
		asm volatile("%0 = " #name " ll" : "=r"(map_));                                    \
		map_;                                                                              \
	})

/*
 * A number by its name, which the agent puts in before it loads the program: the verifier knows it,
 * and leaves out what it makes unreachable.
 */
#define CONSTANT(name)                                                                             \
	({                                                                                         \
		__u64 constant_;                                                                   \
		asm volatile("%0 = " #name " ll" : "=r"(constant_));                               \
		constant_;                                                                         \
	})

/* struct __sk_buff, as far as it is read; the verifier takes loads of whole fields. */
struct packet {
	__u32 length; /* with the link header at tc's hooks */
	__u32 type, mark, queue, protocol;
	__u32 vlan_present, vlan_control,
		vlan_protocol; /* a tag that was taken out of the packet */
	__u32 priority, ingress_device, device, tc_index, control[5], hash, tc_class;
	__u32 data, data_end; /* the verifier makes pointers of them: what is in one piece */
	__u32 queue_id, family, remote_ipv4, local_ipv4, remote_ipv6[4], local_ipv6[4];
	__u32 remote_port, local_port, data_meta;
	__u64 flow_keys;
	__u64 time_ns; /* tstamp: Linux 5.0 */
	__u32 wire_length;
	__u32 segments; /* gso_segs: Linux 5.1. Packets of the wire that were merged; 0: it is one */
};

#define TC_ACT_UNSPEC (-1) /* go on as if no program were there */

/* struct xdp_md. The verifier makes pointers of the first two. */
struct xdp_md {
	__u32 data, data_end;
	__u32 data_meta;
	__u32 ingress_ifindex;
	__u32 rx_queue_index;
};

#define XDP_DROP 1
#define XDP_PASS 2

/*
 * struct bpf_fib_lookup; lengths and the device in the host's byte order, the rest as on the wire.
 */
struct fib_lookup {
	__u8 family, protocol;
	__u16 source_port, destination_port;
	__u16 length; /* of the packet, to be compared with the next MTU */
	__u32 device; /* in: the packet's own; out: the next */
	__u32 tos; /* IPv4: its first byte; IPv6: class and label; out: the route's metric */
	__u32 source[4], destination[4];
	__u32 table;
	__u8 source_mac[6], destination_mac[6]; /* out */
};

#define FIB_SUCCESS 0

static void *(*const bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
/* Flag 1: only where there is none yet. Returns 0 or -errno. */
static long (*const bpf_map_update_elem)(void *map, const void *key, const void *value,
					 __u64 flags) = (void *)2;
static __u64 (*const bpf_ktime_get_ns)(void) = (void *)5;
static __u32 (*const bpf_get_smp_processor_id)(void) = (void *)8;
static long (*const bpf_map_delete_elem)(void *map, const void *key) = (void *)3;
/* Linux 4.9. Makes so many bytes of a packet one piece; data and data_end are read anew then. */
static long (*const bpf_skb_pull_data)(struct packet *packet, __u32 bytes) = (void *)39;
/* Linux 4.5. Copies bytes of a packet, also of one in several pieces. */
static long (*const bpf_skb_load_bytes)(const struct packet *packet, __u32 from, void *to,
					__u32 bytes) = (void *)26;
/*
 * Linux 4.6. Adds the bytes at `to` to seed, and takes those at `from` off; multiples of 4, at most
 * 512.
 */
static __s64 (*const bpf_csum_diff)(const void *from, __u32 from_bytes, const void *to,
				    __u32 to_bytes, __u32 seed) = (void *)28;
/* Linux 4.14. Returns XDP_REDIRECT; flags are 0 at XDP. */
static long (*const bpf_redirect)(__u32 device, __u64 flags) = (void *)23;
/* Linux 4.18. Moves the end of a frame. */
static long (*const bpf_xdp_adjust_tail)(struct xdp_md *frame, int delta) = (void *)65;
/* Linux 4.18. Returns FIB_SUCCESS, or why there is no next hop. */
static long (*const bpf_fib_lookup)(void *context, struct fib_lookup *asked, int bytes,
				    __u32 flags) = (void *)69;
/* Linux 5.11. The monotonic clock at its last tick. */
static __u64 (*const bpf_ktime_get_coarse_ns)(void) = (void *)160;
/* Linux 5.17. step() returns 0 to go on, 1 to end. */
static long (*const bpf_loop)(__u32 count, long (*step)(__u32 index, void *context), void *context,
			      __u64 flags) = (void *)181;

#endif
