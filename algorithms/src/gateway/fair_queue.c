/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/fair_queue.h"

#include <stdlib.h>
#include <string.h>

int gm_fair_queue_init(struct gm_fair_queue *fair, uint32_t queues, uint32_t packets)
{
	memset(fair, 0, sizeof(*fair));
	fair->packets = calloc(packets, sizeof(*fair->packets));
	fair->queues = calloc(queues, sizeof(*fair->queues));
	fair->heap = calloc(queues, sizeof(*fair->heap));
	if (!fair->packets || !fair->queues || !fair->heap) {
		gm_fair_queue_free(fair);
		return -1;
	}
	memset(fair->packets, 0, packets * sizeof(*fair->packets));
	for (uint32_t i = 0; i < queues; i++) {
		fair->queues[i].first = GM_FAIR_QUEUE_NONE;
		fair->queues[i].cost = 1;
		fair->heap[i] = 0;
	}
	return 0;
}

void gm_fair_queue_free(struct gm_fair_queue *fair)
{
	free(fair->packets);
	free(fair->queues);
	free(fair->heap);
	memset(fair, 0, sizeof(*fair));
}

/* Whether a queue's first packet is sent before another's; of equal tags the lower number. */
static int before(const struct gm_fair_queue *fair, uint32_t left, uint32_t right)
{
	uint64_t first = fair->packets[fair->queues[left].first].finish;
	uint64_t second = fair->packets[fair->queues[right].first].finish;

	return first < second || (first == second && left < right);
}

static void rise(struct gm_fair_queue *fair, uint32_t at)
{
	uint32_t queue = fair->heap[at];

	while (at && before(fair, queue, fair->heap[(at - 1) / 2])) {
		fair->heap[at] = fair->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	fair->heap[at] = queue;
}

static void sink(struct gm_fair_queue *fair, uint32_t queue)
{
	uint32_t at = 0;

	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= fair->waiting)
			break;
		if (child + 1 < fair->waiting &&
		    before(fair, fair->heap[child + 1], fair->heap[child]))
			child++;
		if (!before(fair, fair->heap[child], queue))
			break;
		fair->heap[at] = fair->heap[child];
		at = child;
	}
	fair->heap[at] = queue;
}

void gm_fair_queue_enqueue(struct gm_fair_queue *fair, uint32_t queue, uint32_t packet,
			   uint32_t length)
{
	struct gm_fair_entry *entry = &fair->queues[queue];

	/* A queue that was empty begins now: it has no claim on the past. */
	if (entry->finish < fair->now)
		entry->finish = fair->now;
	entry->finish += (uint64_t)length * entry->cost;
	fair->packets[packet] =
		(struct gm_fair_packet){ entry->finish, GM_FAIR_QUEUE_NONE, length };
	if (entry->first == GM_FAIR_QUEUE_NONE) {
		entry->first = packet;
		fair->heap[fair->waiting] = queue;
		rise(fair, fair->waiting++);
	} else {
		fair->packets[entry->last].next = packet;
	}
	entry->last = packet;
}

uint32_t gm_fair_queue_dequeue(struct gm_fair_queue *fair)
{
	struct gm_fair_entry *entry;
	uint32_t queue, packet;

	if (!fair->waiting)
		return GM_FAIR_QUEUE_NONE;
	queue = fair->heap[0];
	entry = &fair->queues[queue];
	packet = entry->first;
	fair->now = fair->packets[packet].finish;
	entry->first = fair->packets[packet].next;
	if (entry->first == GM_FAIR_QUEUE_NONE)
		queue = fair->heap[--fair->waiting];
	if (fair->waiting)
		sink(fair, queue);
	return packet;
}
