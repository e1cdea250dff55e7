// SPDX-License-Identifier: Apache-2.0
/*
 * Flows that a flow table of nftables forwards (`flow add @table`). None passes the forward hook, so
 * that no rule there does anything for it. Those that a driver forwards (`flags offload`) pass tc's
 * hooks neither, so that nothing is seen of them.
 */
#ifndef GM_KERNEL_OFFLOAD_H
#define GM_KERNEL_OFFLOAD_H

#include <stdint.h>

struct offloaded {
	uint64_t flows; /* all of them */
	uint64_t by_driver;
};

/* How many connections are so now. 0; -errno where the kernel does not say, without root for one. */
int offload_count(struct offloaded *offloaded);

#endif
