/* SPDX-License-Identifier: Apache-2.0 */
/* Two of three timers are due within ten ticks, one is cancelled. */
#include "gm/timer_wheel.h"

#include <stdio.h>

int main(void)
{
	struct gm_timer_wheel wheel;
	uint32_t timer;

	if (gm_timer_wheel_init(&wheel, 3, 0) < 0)
		return 1;
	gm_timer_wheel_add(&wheel, 0, 3);
	gm_timer_wheel_add(&wheel, 1, 5);
	gm_timer_wheel_add(&wheel, 2, 7);
	gm_timer_wheel_cancel(&wheel, 1);
	for (uint32_t tick = 1; tick <= 10; tick++) {
		gm_timer_wheel_tick(&wheel);
		while ((timer = gm_timer_wheel_due(&wheel)) != GM_TIMER_NONE)
			printf("tick %u: timer %u\n", (unsigned)tick, (unsigned)timer);
	}
	gm_timer_wheel_free(&wheel);
	return 0;
}

/* Prints:
 * tick 3: timer 0
 * tick 7: timer 2
 */
