// SPDX-License-Identifier: Apache-2.0
/*
 * A line whose rate and delay change by the clock: steps, each from its time on, round and round.
 * Before it begins the first step holds.
 */
#ifndef GM_COURSE_H
#define GM_COURSE_H

#include <stddef.h>
#include <stdint.h>

#define COURSE_PERIOD_LEAST_NS 1000000LL
#define COURSE_RATE_LEAST_BPS 1000 /* or 0: a frame is done within 2^20 steps */

struct course_step {
	uint64_t from_ns; /* from the period's begin on; of the first one 0 */
	uint64_t rate_bps; /* 0: the line stands still */
	uint64_t fixed_ns; /* more than the line's own delay */
};

struct course {
	const struct course_step *step;
	size_t steps;
	uint64_t period_ns;
	uint64_t begun_ns; /* UINT64_MAX: it did not begin */
	size_t last; /* where the last answer was */
};

/* The step that holds at a time, and when it ends. */
const struct course_step *course_at(struct course *course, uint64_t now_ns, uint64_t *until_ns);

/*
 * How long 1e9 x bits take from a time on; `rest`: of the last step's rate, in the same unit. The
 * first step, and so one in each period, has a rate.
 */
uint64_t course_takes(struct course *course, uint64_t from_ns, uint64_t nanobits, uint64_t *rest);

#endif
