// SPDX-License-Identifier: Apache-2.0
/*
 * Which packets are captured: a program of classic BPF (S. McCanne, V. Jacobson, "The BSD Packet
 * Filter", 1993), as libpcap compiles an expression, put before a program of the kernel's present
 * machine (RFC 9669). It returns 0 for a packet that is not wanted.
 */
#ifndef GM_CAPTURE_FILTER_H
#define GM_CAPTURE_FILTER_H

#include "talk/fault.h"
#include "talk/request.h"

#include <linux/bpf.h>
#include <linux/filter.h>
#include <stddef.h>

#define FILTER_MOST 4096 /* classic instructions, as in the kernel (BPF_MAXINSNS) */

/* The classic program; `count` 0: every packet. */
struct filter {
	struct sock_filter *code; /* allocated */
	size_t count;
};

/* The program in front of another (struct bpf_program's prefix). */
struct filter_prefix {
	struct bpf_insn *code; /* allocated */
	size_t count;
};

/*
 * Reads four numbers an instruction: code, jt, jf, k, as tcpdump -i DEVICE -ddd prints them. Checks
 * each instruction and that each jump goes forward to one of them. The kernel keeps a VLAN tag
 * beside the packet: it is loaded from SKF_AD_VLAN_TAG and SKF_AD_VLAN_TAG_PRESENT, as libpcap
 * compiles `vlan` for a device. 0 or -EINVAL with the fault of key "filter" filled, -ENOMEM.
 */
int filter_read(struct filter *filter, const struct integers *numbers, struct fault *fault);

/*
 * Translates a filter for tc's hooks: packets for which it returns 0 go on at once, others to what
 * comes behind it. No load reaches beyond the packet: that ends a classic program with 0. 0 or
 * -errno.
 */
int filter_translate(const struct filter *filter, struct filter_prefix *prefix);

void filter_release(struct filter *filter);
void filter_prefix_release(struct filter_prefix *prefix);

#endif
