// SPDX-License-Identifier: Apache-2.0
/*
 * Steps of CLOCK_REALTIME, of which the kernel's arrival stamps are, seen against CLOCK_MONOTONIC,
 * which is never set. What adjtimex(2) slews, at most 500 ppm, is no step.
 */
#ifndef GM_STEP_H
#define GM_STEP_H

#include <stdbool.h>
#include <stdint.h>

struct step {
	bool known; /* the clocks were read before */
	int64_t apart_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC */
	uint64_t read_ns; /* when, by CLOCK_MONOTONIC */
	uint64_t stepped_ns; /* by how much it was set in all, of either sign */
};

/*
 * One reading of CLOCK_REALTIME between two of CLOCK_MONOTONIC. Returns the step since the last one,
 * 0 as a rule; a reading that was interrupted says nothing and is left out.
 */
int64_t step_look(struct step *step, uint64_t before_ns, uint64_t real_ns, uint64_t after_ns);

/* clock_realtime_offset(), and whether the clock was set since the last one. */
uint64_t step_offset(struct step *step);

#endif
