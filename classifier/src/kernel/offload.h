// SPDX-License-Identifier: Apache-2.0
/*
 * Flows that a flow table of nftables forwards (`flow add @table`): they pass neither tc's hooks nor
 * the forward hook, so that nothing is seen of them and nothing is done for them.
 */
#ifndef GM_KERNEL_OFFLOAD_H
#define GM_KERNEL_OFFLOAD_H

#include <stdint.h>

/* How many connections are so now; -errno where the kernel does not say, without root for one. */
int64_t offload_count(void);

#endif
