// SPDX-License-Identifier: Apache-2.0
/* Sleeping by the clock, and the offset between two clocks. */
#include "time/clock.h"

#include <sys/prctl.h>

void clock_sharpen(void)
{
	prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
}

void clock_sleep_until(uint64_t time_ns)
{
	struct timespec until = {
		.tv_sec = (time_t)(time_ns / NS_PER_S),
		.tv_nsec = (long)(time_ns % NS_PER_S),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

struct clock_bracket clock_bracket(void)
{
	struct clock_bracket narrowest = { .after_ns = UINT64_MAX };

	for (int i = 0; i < 4; i++) {
		struct clock_bracket bracket;

		bracket.before_ns = clock_now();
		bracket.real_ns = clock_read(CLOCK_REALTIME);
		bracket.after_ns = clock_now();
		if (bracket.after_ns - bracket.before_ns < narrowest.after_ns - narrowest.before_ns)
			narrowest = bracket;
	}
	return narrowest;
}

uint64_t clock_realtime_offset(void)
{
	struct clock_bracket bracket = clock_bracket();

	return clock_offset_of(&bracket);
}
