/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/deficit_round_robin.h"

#include <stdlib.h>
#include <string.h>

int gm_drr_init(struct gm_drr *drr, uint32_t queues, uint32_t packets, uint32_t quantum)
{
	memset(drr, 0, sizeof(*drr));
	drr->packets = calloc(packets, sizeof(*drr->packets));
	drr->queues = calloc(queues, sizeof(*drr->queues));
	if (!drr->packets || !drr->queues) {
		gm_drr_free(drr);
		return -1;
	}
	memset(drr->packets, 0, packets * sizeof(*drr->packets));
	for (uint32_t i = 0; i < queues; i++)
		drr->queues[i] = (struct gm_drr_queue){ GM_DRR_NONE, GM_DRR_NONE, 0, GM_DRR_NONE };
	drr->quantum = quantum;
	drr->current = GM_DRR_NONE;
	return 0;
}

void gm_drr_free(struct gm_drr *drr)
{
	free(drr->packets);
	free(drr->queues);
	memset(drr, 0, sizeof(*drr));
}

/* Puts a queue at the end of the round. */
static void join(struct gm_drr *drr, uint32_t queue)
{
	drr->queues[queue].next = GM_DRR_NONE;
	if (drr->current == GM_DRR_NONE) {
		drr->current = queue;
		drr->queues[queue].deficit = drr->quantum;
	} else {
		drr->queues[drr->last].next = queue;
	}
	drr->last = queue;
}

/* The turn passes on: the next queue's quantum is added to what it had left. */
static void pass_on(struct gm_drr *drr)
{
	drr->current = drr->queues[drr->current].next;
	if (drr->current != GM_DRR_NONE)
		drr->queues[drr->current].deficit += drr->quantum;
}

void gm_drr_enqueue(struct gm_drr *drr, uint32_t queue, uint32_t packet, uint32_t length)
{
	struct gm_drr_queue *entry = &drr->queues[queue];

	drr->packets[packet] = (struct gm_drr_packet){ GM_DRR_NONE, length };
	if (entry->first == GM_DRR_NONE) {
		entry->first = packet;
		entry->deficit = 0;
		join(drr, queue);
	} else {
		drr->packets[entry->last].next = packet;
	}
	entry->last = packet;
}

uint32_t gm_drr_dequeue(struct gm_drr *drr)
{
	struct gm_drr_queue *entry;
	uint32_t packet;

	if (drr->current == GM_DRR_NONE)
		return GM_DRR_NONE;
	for (;;) {
		uint32_t queue = drr->current;

		entry = &drr->queues[queue];
		packet = entry->first;
		if (drr->packets[packet].length <= entry->deficit)
			break;
		if (drr->last == queue) { /* alone: its turn again */
			entry->deficit += drr->quantum;
			continue;
		}
		drr->queues[drr->last].next = queue;
		drr->last = queue;
		pass_on(drr);
		entry->next = GM_DRR_NONE;
	}
	entry->deficit -= drr->packets[packet].length;
	entry->first = drr->packets[packet].next;
	if (entry->first == GM_DRR_NONE)
		pass_on(drr);
	return packet;
}
