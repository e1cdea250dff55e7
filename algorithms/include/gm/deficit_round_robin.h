/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deficit round robin (M. Shreedhar, G. Varghese, "Efficient fair queuing using deficit round
 * robin", 1995): queues take turns, each sends up to its quantum and keeps what it did not use.
 * Constant time a packet where the quantum is no less than the longest packet.
 *
 * Packets are numbers from 0; a packet is in at most one queue. 8 bytes a packet, 16 a queue.
 */
#ifndef GM_DEFICIT_ROUND_ROBIN_H
#define GM_DEFICIT_ROUND_ROBIN_H

#include <stdint.h>

#define GM_DRR_NONE UINT32_MAX

struct gm_drr_packet {
	uint32_t next;
	uint32_t length;
};

struct gm_drr_queue {
	uint32_t first; /* packet, or GM_DRR_NONE */
	uint32_t last;
	uint32_t deficit; /* bytes */
	uint32_t next; /* queue in the round */
};

struct gm_drr {
	struct gm_drr_packet *packets;
	struct gm_drr_queue *queues;
	uint32_t quantum; /* bytes */
	uint32_t current; /* queue whose turn it is, or GM_DRR_NONE */
	uint32_t last; /* queue at the round's end */
};

/* Empty queues; quantum > 0. -1 where memory is short. */
int gm_drr_init(struct gm_drr *drr, uint32_t queues, uint32_t packets, uint32_t quantum);
void gm_drr_free(struct gm_drr *drr);

/* Puts a packet of `length` bytes, which is in no queue, at the end of a queue. */
void gm_drr_enqueue(struct gm_drr *drr, uint32_t queue, uint32_t packet, uint32_t length);

/* Takes the packet that is sent next; GM_DRR_NONE where all queues are empty. */
uint32_t gm_drr_dequeue(struct gm_drr *drr);

#endif
