// SPDX-License-Identifier: Apache-2.0
/* Rate and delay by the clock. */
#include "line/course.h"

/* Times mostly go on, so the search begins at the last answer. */
const struct course_step *course_at(struct course *course, uint64_t now_ns, uint64_t *until_ns)
{
	uint64_t inside_ns, end_ns;
	size_t at = course->last;

	if (now_ns < course->begun_ns) {
		*until_ns = course->begun_ns;
		return course->step;
	}
	inside_ns = (now_ns - course->begun_ns) % course->period_ns;
	if (course->step[at].from_ns > inside_ns)
		at = 0;
	while (at + 1 < course->steps && course->step[at + 1].from_ns <= inside_ns)
		at++;
	course->last = at;
	end_ns = at + 1 < course->steps ? course->step[at + 1].from_ns : course->period_ns;
	*until_ns = now_ns + (end_ns - inside_ns);
	return &course->step[at];
}

uint64_t course_takes(struct course *course, uint64_t from_ns, uint64_t nanobits, uint64_t *rest)
{
	uint64_t now_ns = from_ns;

	for (;;) {
		uint64_t until_ns;
		uint64_t rate_bps = course_at(course, now_ns, &until_ns)->rate_bps;

		if (rate_bps && nanobits / rate_bps <= until_ns - now_ns) {
			*rest = nanobits % rate_bps;
			return now_ns - from_ns + nanobits / rate_bps;
		}
		nanobits -= rate_bps * (until_ns - now_ns); /* less than there was: no overflow */
		now_ns = until_ns;
	}
}
