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

/*
 * One clock is read between two reads of the other. The narrowest of a few brackets counts: being
 * interrupted inside makes a bracket wide, never narrow.
 */
uint64_t clock_realtime_offset(void)
{
	uint64_t narrowest = UINT64_MAX;
	uint64_t offset = 0;

	for (int i = 0; i < 4; i++) {
		uint64_t before = clock_now();
		uint64_t real = clock_read(CLOCK_REALTIME);
		uint64_t width = clock_now() - before;

		if (width >= narrowest)
			continue;
		narrowest = width;
		offset = before + width / 2 - real;
	}
	return offset;
}
