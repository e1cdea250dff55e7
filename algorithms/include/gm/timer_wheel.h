/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hierarchical timer wheel of 4 levels with 256 slots each (G. Varghese, T. Lauck, "Hashed and
 * hierarchical timing wheels", 1987): add, cancel and tick in constant time, for delays of all 32
 * bits. Timers are numbers from 0; 12 bytes each.
 */
#ifndef GM_TIMER_WHEEL_H
#define GM_TIMER_WHEEL_H

#include <stdint.h>

#define GM_TIMER_NONE UINT32_MAX
#define GM_TIMERS_MOST (UINT32_C(1) << 26) /* 768 MiB */

struct gm_timer {
	uint32_t next; /* in its slot's ring; GM_TIMER_NONE: it does not run */
	uint32_t previous;
	uint32_t expires; /* the tick */
};

struct gm_timer_wheel {
	struct gm_timer *timers; /* behind them the slots, which begin the rings, and the due */
	uint32_t count;
	uint32_t now; /* ticks, modulo 2^32 */
};

/* A wheel of timers, none of which runs. -1 where memory is short or there are too many. */
int gm_timer_wheel_init(struct gm_timer_wheel *wheel, uint32_t count, uint32_t now);
void gm_timer_wheel_free(struct gm_timer_wheel *wheel);

/* Starts a timer, anew where it ran: it is due after `delay` ticks, at the next one for 0. */
void gm_timer_wheel_add(struct gm_timer_wheel *wheel, uint32_t timer, uint32_t delay);

/* Stops a timer: 1, or 0 where it did not run. */
int gm_timer_wheel_cancel(struct gm_timer_wheel *wheel, uint32_t timer);

/* Goes on by one tick. What is due then is got by gm_timer_wheel_due, in no order. */
void gm_timer_wheel_tick(struct gm_timer_wheel *wheel);

/* A timer that is due, which no longer runs; GM_TIMER_NONE where none is left. */
uint32_t gm_timer_wheel_due(struct gm_timer_wheel *wheel);

#endif
