/* SPDX-License-Identifier: Apache-2.0 */
/* A short packet need not wait for the long ones that came before it. */
#include "gm/fair_queue.h"

#include <stdio.h>

int main(void)
{
	struct gm_fair_queue fair;

	if (gm_fair_queue_init(&fair, 2, 3) < 0)
		return 1;
	gm_fair_queue_enqueue(&fair, 0, 0, 1500);
	gm_fair_queue_enqueue(&fair, 0, 1, 1500);
	gm_fair_queue_enqueue(&fair, 1, 2, 64);
	for (int i = 0; i < 3; i++)
		printf("packet %u\n", (unsigned)gm_fair_queue_dequeue(&fair));
	gm_fair_queue_free(&fair);
	return 0;
}

/* Prints:
 * packet 2
 * packet 0
 * packet 1
 */
