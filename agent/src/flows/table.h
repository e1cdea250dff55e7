// SPDX-License-Identifier: Apache-2.0
/* The kernel's tables of flows (bpf/flows.bpf.c), read and emptied. */
#ifndef GM_FLOWS_TABLE_H
#define GM_FLOWS_TABLE_H

#include "bpf/flows.h"
#include "kernel/bpf.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stdint.h>

/* Why a record was made (RFC 5102, flowEndReason). */
enum flow_end { FLOW_GOES_ON, FLOW_IDLE, FLOW_ACTIVE, FLOW_ENDED, FLOW_FORCED };

/* A flow that is over, or long enough; of IPv4 the first words of the addresses. */
struct flow_record {
	bool is_ipv6;
	uint32_t low[4], high[4];
	uint16_t low_port, high_port; /* as on the wire */
	uint8_t protocol;
	struct flow flow;
	enum flow_end end;
};

/* The flows of one kind of address. */
struct flow_family {
	struct bpf_map flows; /* the kernel counts in it */
	struct bpf_map parts; /* what was reported of flows that go on; the same keys and values */
};

struct flow_table {
	struct flow_family ipv4, ipv6;
	struct bpf_map counts;
	unsigned int cpus;
};

struct flow_limits {
	uint64_t idle_ns, active_ns;
};

/* When it began and when its last packet came, of either way. */
uint64_t flow_first_ns(const struct flow *flow);
uint64_t flow_last_ns(const struct flow *flow);

/* Leaves of a flow the part that comes after what was reported of it; false: no packet did. */
bool flow_take_off(struct flow *flow, const struct flow *reported);

typedef void flow_sink(void *context, const struct flow_record *record);

/* Before all else: nothing is open. */
void flow_table_prepare(struct flow_table *table);

/* Makes tables for so many flows each. 0 or -errno with the fault filled. */
int flow_table_open(struct flow_table *table, uint32_t flows, struct fault *fault);

/*
 * Takes what has ended by these limits out of the tables, and hands it on; all, where `all` is set.
 * What lasts longer than a limit stays, and its part so far is handed on: a part has packets, and
 * begins in each way with the last packet that was reported of it. `left` is how many flows stay.
 * 0, or -errno where the kernel does not show its tables.
 */
int flow_table_collect(const struct flow_table *table, const struct flow_limits *limits, bool all,
		       flow_sink *sink, void *context, uint64_t *left);

/* Packets by kind, over all CPUs. 0 or -errno. */
struct flow_counts {
	uint64_t of[FLOWS_KINDS];
};
int flow_table_count(const struct flow_table *table, struct flow_counts *counts);

void flow_table_close(struct flow_table *table);

#endif
