/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair queueing by finish tags, self-clocked (S. J. Golestani, "A self-clocked fair queueing scheme
 * for broadband applications", 1994): the packet with the smallest tag is sent, and its tag is the
 * time. Queues have weights; the first packets of the queues are in a heap.
 *
 * Packets are numbers from 0; a packet is in at most one queue. 16 bytes a packet, 24 a queue.
 */
#ifndef GM_FAIR_QUEUE_H
#define GM_FAIR_QUEUE_H

#include <stdint.h>

#define GM_FAIR_QUEUE_NONE UINT32_MAX

struct gm_fair_packet {
	uint64_t finish; /* its tag */
	uint32_t next;
	uint32_t length;
};

struct gm_fair_entry {
	uint64_t finish; /* tag of the last packet that was put in */
	uint32_t first; /* packet, or GM_FAIR_QUEUE_NONE */
	uint32_t last;
	uint32_t cost; /* of a byte: less is more weight; 1 at first */
};

struct gm_fair_queue {
	struct gm_fair_packet *packets;
	struct gm_fair_entry *queues;
	uint32_t *heap; /* queues that are not empty, the smallest tag first */
	uint32_t waiting; /* how many those are */
	uint64_t now; /* tag of the packet that was sent last */
};

/* Empty queues. -1 where memory is short. */
int gm_fair_queue_init(struct gm_fair_queue *fair, uint32_t queues, uint32_t packets);
void gm_fair_queue_free(struct gm_fair_queue *fair);

/* Puts a packet of `length` bytes, which is in no queue, at the end of a queue. */
void gm_fair_queue_enqueue(struct gm_fair_queue *fair, uint32_t queue, uint32_t packet,
			   uint32_t length);

/* Takes the packet that is sent next; GM_FAIR_QUEUE_NONE where all queues are empty. */
uint32_t gm_fair_queue_dequeue(struct gm_fair_queue *fair);

#endif
