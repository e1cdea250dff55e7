// SPDX-License-Identifier: Apache-2.0
/* What the commands share that serve until a signal comes. */
#include "kernel/offload.h"
#include "program/program.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>

int mark_read(struct mark *mark, const char *text, struct fault *fault)
{
	char *end;
	unsigned long long value = strtoull(text, &end, 0), mask = UINT32_MAX;
	int is_right = end != text;

	if (is_right && *end == '/') {
		const char *from = end + 1;

		mask = strtoull(from, &end, 0);
		is_right = end != from;
	}
	if (!is_right || *end || !value || value > UINT32_MAX || mask > UINT32_MAX || value & ~mask)
		return fault_set(fault, -EINVAL, "mark", "such as 0x10, or 0x10/0xf0",
				 "--mark: no mark: %.40s", text);
	*mark = (struct mark){ (uint32_t)value, (uint32_t)mask };
	return 0;
}

bool decision_prefers(const struct model *model, const struct decision *decision)
{
	return model->action[decision->class].priority && !decision->demoted && !decision->waiting;
}

int signals_open(int *descriptor, struct fault *fault)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	*descriptor = signalfd(-1, &signals, SFD_CLOEXEC);
	return *descriptor < 0 ? fault_system(fault, -errno, NULL, "signals") : 0;
}

/* Where there were none at the look before. */
static void tell_offloaded(const struct offloads *offloads, const struct offloaded *now)
{
	if (now->flows && !offloads->are_there)
		fprintf(stderr,
			"gm-classifier: %" PRIu64 " flows are offloaded by a flow table of "
			"nftables: no rule at the forward hook does anything for them, so a "
			"shaper must look at the mark itself, as CAKE does, or take \"flow add\" "
			"away\n",
			now->flows);
	if (now->by_driver && !offloads->by_driver)
		fprintf(stderr,
			"gm-classifier: %" PRIu64 " flows are forwarded by a driver, and pass "
			"unseen and unmarked: take \"flags offload\" of the flow table away\n",
			now->by_driver);
}

void offloads_look(struct offloads *offloads, uint64_t now_us)
{
	struct offloaded now;

	if (offloads->looked_us && now_us - offloads->looked_us < offloads->pause_us)
		return;
	offloads->looked_us = now_us;
	offloads->pause_us = offloads->pause_us ? 2 * offloads->pause_us : OFFLOAD_LOOK_LEAST_US;
	if (offloads->pause_us > OFFLOAD_LOOK_MOST_US)
		offloads->pause_us = OFFLOAD_LOOK_MOST_US;
	if (offload_count(&now))
		return;
	tell_offloaded(offloads, &now);
	offloads->are_there = now.flows > 0;
	offloads->by_driver = now.by_driver > 0;
	if (now.flows > offloads->most)
		offloads->most = now.flows;
}
