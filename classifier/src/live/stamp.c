// SPDX-License-Identifier: Apache-2.0
/* Differences of clocks modulo 2^64: the time of day may be behind a device that has no battery. */
#include "live/stamp.h"

void stamps_look(struct stamps *stamps, uint64_t day_us, uint64_t monotonic_us)
{
	uint64_t ahead_us = day_us - monotonic_us;

	stamps->now_us = monotonic_us;
	if (ahead_us - stamps->ahead_us + STAMP_STEP_US > 2 * STAMP_STEP_US)
		stamps->ahead_us = ahead_us;
}

uint64_t stamps_time(const struct stamps *stamps, uint64_t day_us)
{
	uint64_t time_us = day_us - stamps->ahead_us;
	uint64_t age_us = stamps->now_us - time_us;

	/* It may seem a little younger than now, as the difference is kept. */
	return age_us + STAMP_STEP_US > STAMP_AGE_US + STAMP_STEP_US ? stamps->now_us : time_us;
}
