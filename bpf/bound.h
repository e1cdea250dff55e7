// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * Which numbers a flow's packets can have by now: a packet with another number is none of the
 * trial's, whoever sent it. Shared by the agent (agent/src/count/account.c) and sink.bpf.c.
 */
#ifndef GM_BOUND_H
#define GM_BOUND_H

#include "shared.h"

struct bound {
	__u64 numbers; /* of a flow, all told: 0 to numbers - 1; 0: not known */
	__u64 lead_ns; /* a packet comes so much sooner than its number says, at most */
	__u32 gap_ns; /* between two packets of a flow, at least; 0: not known */
	__u32 unused;
};

/* Whether a number can have been sent `elapsed_ns` after the sink's start. */
SHARED int bound_holds(const struct bound *bound, __u32 number, __u64 elapsed_ns)
{
	__u64 due_ns = (__u64)number * bound->gap_ns;

	if (bound->numbers && number >= bound->numbers)
		return 0;
	return due_ns <= bound->lead_ns || due_ns - bound->lead_ns <= elapsed_ns;
}

#endif
