// SPDX-License-Identifier: Apache-2.0
/*
 * Times of packets on the monotonic clock. The kernel gives them by the time of day, which may be
 * set at any time. Both clocks have one pace, so their difference changes only when that happens.
 */
#ifndef GM_LIVE_STAMP_H
#define GM_LIVE_STAMP_H

#include <stdint.h>

#define STAMP_STEP_US 100000ull /* from such a change on, the time of day was set */
#define STAMP_AGE_US 2000000ull /* no packet waits for so long until it is read */

struct stamps {
	uint64_t now_us; /* monotonic */
	uint64_t ahead_us; /* by how much the time of day is ahead, modulo 2^64 */
};

/*
 * Both clocks, one read after the other, as packets are read. The difference is kept while the time
 * of day is not set, so that intervals are exactly the kernel's.
 */
void stamps_look(struct stamps *stamps, uint64_t day_us, uint64_t monotonic_us);

/* When a packet came. One that was stamped before the time of day was set came now. */
uint64_t stamps_time(const struct stamps *stamps, uint64_t day_us);

#endif
