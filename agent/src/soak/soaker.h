// SPDX-License-Identifier: Apache-2.0
/*
 * A process that soaks up what all other work leaves of one CPU, and counts it in turns of a loop.
 *
 * A turn is a fixed piece of arithmetic, some microseconds long, so the turns in a stretch of time
 * measure how much of it was left over. Unlike the process's CPU time, they leave out what ran in
 * an interrupt on top of it. The turns of a CPU at rest are the reference.
 */
#ifndef GM_SOAKER_H
#define GM_SOAKER_H

#include <stdint.h>
#include <sys/types.h>

/* What the process counts in; shared with it, a cache line of its own. */
struct soaked {
	uint32_t turns; /* wraps after hours: read it more often */
	uint32_t unused[15];
};

struct soaker {
	pid_t pid; /* 0: not started */
	struct soaked *soaked;
	uint32_t last;
	uint64_t turns;
};

/*
 * Starts a soaker on a CPU. soaked: zeroed memory that is shared with children. 0, or -errno:
 * -EINVAL where the CPU is not available.
 */
int soaker_start(struct soaker *soaker, unsigned int cpu, struct soaked *soaked);

/* Turns since it was started. */
uint64_t soaker_turns(struct soaker *soaker);

/* Ends it; does nothing to a soaker that was not started or was ended. */
void soaker_end(struct soaker *soaker);

#endif
