// SPDX-License-Identifier: Apache-2.0
/*
 * Several senders of one machine in turns: time is cut into turns of one length, counted from the
 * start of the monotonic clock, which all of them read, so no sender has to signal another. The
 * last part of a turn is rest: queues drain before the next sender's packets come.
 */
#ifndef GM_TURN_H
#define GM_TURN_H

#include <stdint.h>

struct turn {
	uint32_t of; /* senders; 0 or 1: no turns, it may always send */
	uint32_t at; /* the number of this sender, from 0 */
	uint64_t length_ns;
};

/* When it may send, from now_ns on: now_ns itself in its turn, else the begin of its next turn. */
uint64_t turn_from(const struct turn *turn, uint64_t now_ns);

#endif
