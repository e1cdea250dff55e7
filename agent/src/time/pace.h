// SPDX-License-Identifier: Apache-2.0
/*
 * The schedule of a sender: packet i is due at t0 + i / rate. Kept in fixed point, a whole number
 * of nanoseconds and 2^-32ths: an hour at a million packets a second ends within a nanosecond, and
 * a step costs two additions on a machine without a floating-point unit.
 */
#ifndef GM_PACE_H
#define GM_PACE_H

#include "time/clock.h"

#include <stdbool.h>
#include <stdint.h>

/* Who is late by no more catches up evenly; what is late by no more at the end is still sent. */
#define PACE_EVEN_NS NS_PER_MS

/* A clock of 250 Hz ticks at its multiples in CLOCK_MONOTONIC, one of 1 000 Hz at each quarter. */
#define PACE_TICK_NS (4 * NS_PER_MS)

struct pace {
	uint64_t due_ns; /* when the next packet is due */
	uint32_t due_fraction;
	uint64_t gap_ns; /* between packets */
	uint32_t gap_fraction;
	uint64_t earliest_ns; /* the next packet goes no sooner, however late it is */
	uint64_t even_gap_ns; /* how soon it follows while late by PACE_EVEN_NS at most */
	uint64_t least_gap_ns; /* and beyond: half a gap; both are more where a cap holds it down */
};

/*
 * How long after a tick a schedule begins whose packets, or bursts, are apart_ns apart. A tick keeps
 * a processor for 10 to 20 us. Soon after a packet and long before the next it makes none late;
 * where a schedule began anywhere, in some runs each tick came beside a packet, in others none.
 * After a tick comes what it woke: sparse packets go as long after one as they can, and before the
 * next tick of a fast clock. Where exactly is drawn, so that senders who begin together keep no
 * step.
 */
uint32_t pace_after_tick(uint64_t apart_ns, uint64_t draw);

/* The first such time from soonest_ns on; burst packets go at once. rate_pps 0: soonest_ns. */
uint64_t pace_first(uint64_t soonest_ns, double rate_pps, unsigned int burst);

/* rate_pps 0: everything is due at once. cap_pps 0: none. */
void pace_begin(struct pace *pace, uint64_t t0_ns, double rate_pps, double cap_pps);

/* The longest that a burst may be late without a pause: `least_ns`, or two gaps of the schedule. */
uint64_t pace_longest(const struct pace *pace, unsigned int burst, uint64_t least_ns);

/* Packets due in [t0, t0 + duration) at rate_pps. */
uint64_t pace_scheduled(double rate_pps, uint64_t duration_ns);

/*
 * When the next packet should go: when due, or somewhat after the previous packet if that was late.
 */
static inline uint64_t pace_target(const struct pace *pace)
{
	return pace->due_ns > pace->earliest_ns ? pace->due_ns : pace->earliest_ns;
}

/* count packets have gone at now_ns: the schedule moves on. */
static inline void pace_step(struct pace *pace, unsigned int count, uint64_t now_ns)
{
	uint64_t fraction = (uint64_t)pace->gap_fraction * count + pace->due_fraction;
	bool evenly = now_ns - pace->due_ns <= PACE_EVEN_NS;

	pace->due_ns += pace->gap_ns * count + (fraction >> 32);
	pace->due_fraction = (uint32_t)fraction;
	pace->earliest_ns = now_ns + (evenly ? pace->even_gap_ns : pace->least_gap_ns) * count;
}

/* Sleeps, then spins the last part, until target_ns or a signal. Returns the time read last. */
uint64_t pace_wait(uint64_t target_ns);

/* Sleeps to the end, however late it wakes: where the processor's instructions are counted. */
uint64_t pace_sleep(uint64_t target_ns);

#endif
