/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/timer_wheel.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 4, SLOT_BITS = 8, SLOTS = 1 << SLOT_BITS, RINGS = LEVELS * SLOTS + 1 };

/* The ring of timers that are due is behind those of the slots. */
static uint32_t due_ring(const struct gm_timer_wheel *wheel)
{
	return wheel->count + RINGS - 1;
}

static uint32_t slot_ring(const struct gm_timer_wheel *wheel, uint32_t level, uint32_t tick)
{
	return wheel->count + level * SLOTS + (tick >> (SLOT_BITS * level) & (SLOTS - 1));
}

int gm_timer_wheel_init(struct gm_timer_wheel *wheel, uint32_t count, uint32_t now)
{
	memset(wheel, 0, sizeof(*wheel));
	if (count > GM_TIMERS_MOST)
		return -1;
	wheel->timers = malloc(((size_t)count + RINGS) * sizeof(*wheel->timers));
	if (!wheel->timers)
		return -1;
	wheel->count = count;
	wheel->now = now;
	for (uint32_t i = 0; i < count; i++)
		wheel->timers[i] = (struct gm_timer){ GM_TIMER_NONE, GM_TIMER_NONE, 0 };
	for (uint32_t i = count; i < count + RINGS; i++)
		wheel->timers[i] = (struct gm_timer){ i, i, 0 };
	return 0;
}

void gm_timer_wheel_free(struct gm_timer_wheel *wheel)
{
	free(wheel->timers);
	memset(wheel, 0, sizeof(*wheel));
}

static void unlink_timer(struct gm_timer_wheel *wheel, uint32_t timer)
{
	struct gm_timer *timers = wheel->timers;

	timers[timers[timer].next].previous = timers[timer].previous;
	timers[timers[timer].previous].next = timers[timer].next;
	timers[timer].next = GM_TIMER_NONE;
}

/* Puts a timer at the end of a ring. */
static void link_timer(struct gm_timer_wheel *wheel, uint32_t timer, uint32_t ring)
{
	struct gm_timer *timers = wheel->timers;
	uint32_t last = timers[ring].previous;

	timers[timer].next = ring;
	timers[timer].previous = last;
	timers[last].next = timer;
	timers[ring].previous = timer;
}

/* The ring that a timer waits in: the lowest level whose slots reach as far as its delay. */
static uint32_t ring_of(const struct gm_timer_wheel *wheel, uint32_t expires)
{
	uint32_t delay = expires - wheel->now;
	uint32_t level = 0;

	while (level < LEVELS - 1 && delay >> (SLOT_BITS * (level + 1)))
		level++;
	return slot_ring(wheel, level, expires);
}

void gm_timer_wheel_add(struct gm_timer_wheel *wheel, uint32_t timer, uint32_t delay)
{
	gm_timer_wheel_cancel(wheel, timer);
	wheel->timers[timer].expires = wheel->now + (delay ? delay : 1);
	link_timer(wheel, timer, ring_of(wheel, wheel->timers[timer].expires));
}

int gm_timer_wheel_cancel(struct gm_timer_wheel *wheel, uint32_t timer)
{
	if (wheel->timers[timer].next == GM_TIMER_NONE)
		return 0;
	unlink_timer(wheel, timer);
	return 1;
}

/* The timers of a slot go to the levels below; those of this very tick to its slot of level 0. */
static void cascade(struct gm_timer_wheel *wheel, uint32_t level)
{
	uint32_t ring = slot_ring(wheel, level, wheel->now);

	while (wheel->timers[ring].next != ring) {
		uint32_t timer = wheel->timers[ring].next;

		unlink_timer(wheel, timer);
		link_timer(wheel, timer, ring_of(wheel, wheel->timers[timer].expires));
	}
}

void gm_timer_wheel_tick(struct gm_timer_wheel *wheel)
{
	struct gm_timer *timers = wheel->timers;
	uint32_t due = due_ring(wheel);
	uint32_t ring;

	wheel->now++;
	for (uint32_t level = LEVELS - 1; level; level--) {
		if ((wheel->now & ((UINT32_C(1) << (SLOT_BITS * level)) - 1)) == 0)
			cascade(wheel, level);
	}
	ring = slot_ring(wheel, 0, wheel->now);
	if (timers[ring].next == ring)
		return;
	/* The whole ring is put behind what is still due, without a look at each timer. */
	timers[timers[due].previous].next = timers[ring].next;
	timers[timers[ring].next].previous = timers[due].previous;
	timers[timers[ring].previous].next = due;
	timers[due].previous = timers[ring].previous;
	timers[ring].next = ring;
	timers[ring].previous = ring;
}

uint32_t gm_timer_wheel_due(struct gm_timer_wheel *wheel)
{
	uint32_t due = due_ring(wheel);
	uint32_t timer = wheel->timers[due].next;

	if (timer == due)
		return GM_TIMER_NONE;
	unlink_timer(wheel, timer);
	return timer;
}
