/* SPDX-License-Identifier: Apache-2.0 */
/* Two queues, one with long packets: both send as many bytes. */
#include "gm/deficit_round_robin.h"

#include <stdio.h>

int main(void)
{
	struct gm_drr drr;

	if (gm_drr_init(&drr, 2, 6, 1500) < 0)
		return 1;
	gm_drr_enqueue(&drr, 0, 0, 1500);
	gm_drr_enqueue(&drr, 0, 1, 1500);
	for (uint32_t packet = 2; packet < 6; packet++)
		gm_drr_enqueue(&drr, 1, packet, 750);
	for (uint32_t packet = gm_drr_dequeue(&drr); packet != GM_DRR_NONE;
	     packet = gm_drr_dequeue(&drr))
		printf("packet %u\n", (unsigned)packet);
	gm_drr_free(&drr);
	return 0;
}

/* Prints:
 * packet 0
 * packet 2
 * packet 3
 * packet 1
 * packet 4
 * packet 5
 */
