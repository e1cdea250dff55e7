// SPDX-License-Identifier: Apache-2.0
/*
 * CoDel's control law (RFC 8289 section 5), at the time at which a frame would begin to be sent.
 * Integers alone: interval / sqrt(count) is the root of interval^2 / count, rounded down.
 */
#ifndef GM_CODEL_H
#define GM_CODEL_H

#include <stdbool.h>
#include <stdint.h>

#define CODEL_INTERVAL_NS 100000000ULL
#define CODEL_TARGET_NS 5000000ULL

struct codel {
	uint64_t target_ns;
	uint32_t
		frame_most; /* bytes: no more than these behind it, and the queue is short enough */
	uint64_t first_above_ns; /* 0: the last frame had waited less than the target */
	uint64_t drop_next_ns;
	uint32_t count, last_count;
	bool dropping;
	bool entered; /* by the drop before: the frame behind it goes */
};

/* The target is 5 ms, or 1.5 x the time of a full frame where that is more. */
void codel_begin(struct codel *codel, uint64_t full_frame_ns, uint32_t frame_most);

/*
 * The head of the queue at now_ns, after it waited so long, with so many bytes behind it: true if it
 * is to be dropped. Then the next head is asked for at the same now_ns, with `again` set, until one
 * may go; codel_empty() where none is left.
 */
bool codel_drops(struct codel *codel, uint64_t now_ns, uint64_t waited_ns, uint64_t bytes_behind,
		 bool again);
void codel_empty(struct codel *codel);

/* The whole root of a number, rounded down. */
uint32_t codel_root(uint64_t square);

#endif
