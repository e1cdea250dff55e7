// SPDX-License-Identifier: Apache-2.0
/* How long the programs of a capture take, by the kernel's own count. */
#include "capture/cost.h"
#include "kernel/bpf.h"

#include <linux/bpf.h>
#include <string.h>

int cost_open(void)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.enable_stats.type = BPF_STATS_RUN_TIME;
	return bpf_call(BPF_ENABLE_STATS, &attributes);
}

static void add(int program, struct cost *cost)
{
	struct bpf_prog_info info;

	if (bpf_program_info(program, &info) < 0)
		return;
	cost->ns += info.run_time_ns;
	cost->packets += info.run_cnt;
}

struct cost cost_read(const struct hooks *hooks)
{
	struct cost cost = { 0 };

	for (unsigned int i = 0; i < hooks->count; i++)
		add(hooks->hook[i].program, &cost);
	return cost;
}
