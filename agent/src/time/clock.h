// SPDX-License-Identifier: Apache-2.0
/* Clocks, in nanoseconds. Where the kernel has a vDSO, reading a clock is no system call. */
#ifndef GM_CLOCK_H
#define GM_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US 1000ull
#define NS_PER_MS 1000000ull
#define NS_PER_S 1000000000ull

static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * NS_PER_S + (uint64_t)time.tv_nsec;
}

/* The clock of the protocol. */
static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* CPU time of this process: user and system. */
static inline uint64_t clock_cpu(void)
{
	return clock_read(CLOCK_PROCESS_CPUTIME_ID);
}

/* Wakes at once instead of up to 50 us late: the default timer slack. */
void clock_sharpen(void);

/* Sleeps until a time of CLOCK_MONOTONIC; a signal may end it early. */
void clock_sleep_until(uint64_t time_ns);

/* CLOCK_REALTIME, read between two reads of CLOCK_MONOTONIC. */
struct clock_bracket {
	uint64_t before_ns, real_ns, after_ns;
};

/* The narrowest of a few brackets: being interrupted inside makes one wide, never narrow. */
struct clock_bracket clock_bracket(void);

/* What has to be added to CLOCK_REALTIME for CLOCK_MONOTONIC, modulo 2^64. Good to some 20 ns. */
static inline uint64_t clock_offset_of(const struct clock_bracket *bracket)
{
	uint64_t width = bracket->after_ns - bracket->before_ns;

	return bracket->before_ns + width / 2 - bracket->real_ns;
}

/* The same, read now. */
uint64_t clock_realtime_offset(void);

#endif
