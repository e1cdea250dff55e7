// SPDX-License-Identifier: Apache-2.0
/* Whether a clock was set. */
#include "time/step.h"
#include "time/clock.h"

#define WIDE_NS 20000 /* between two reads: something came between them */
#define LEAST_NS 200000 /* a smaller step is none to us */
#define SLEW_PART 1000 /* of the time gone by: twice what adjtimex(2) slews */

static int64_t size_of(int64_t value)
{
	return value < 0 ? -value : value;
}

int64_t step_look(struct step *step, uint64_t before_ns, uint64_t real_ns, uint64_t after_ns)
{
	int64_t apart_ns, by_ns;

	if (after_ns - before_ns > WIDE_NS)
		return 0;
	apart_ns = (int64_t)(real_ns - before_ns);
	by_ns = step->known ? apart_ns - step->apart_ns : 0;
	if (size_of(by_ns) <= LEAST_NS + (int64_t)((before_ns - step->read_ns) / SLEW_PART))
		by_ns = 0;
	step->known = true;
	step->apart_ns = apart_ns;
	step->read_ns = before_ns;
	step->stepped_ns += (uint64_t)size_of(by_ns);
	return by_ns;
}

uint64_t step_offset(struct step *step)
{
	struct clock_bracket bracket = clock_bracket();

	step_look(step, bracket.before_ns, bracket.real_ns, bracket.after_ns);
	return clock_offset_of(&bracket);
}
