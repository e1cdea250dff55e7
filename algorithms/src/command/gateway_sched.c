/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched entries=QUEUES discipline=drr|fq: queues in which four packets each wait. An operation takes
 * the packet that is sent next, and puts it to the end of a queue drawn at random.
 */
#include "command/gateway.h"
#include "gm/deficit_round_robin.h"
#include "gm/fair_queue.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>

enum { OPERATIONS = 1 << 14, QUANTUM = 1514, WAITING = 4 };
static const char *const disciplines[] = { "drr", "fq", NULL };

struct sched {
	struct gateway gateway;
	struct gm_drr drr;
	struct gm_fair_queue fair;
	uint32_t *lengths; /* of packets */
	uint32_t *queues; /* where the packet of each operation goes */
	uint32_t entries;
};

static void drr_prepare(void *state)
{
	struct sched *sched = state;

	gm_drr_free(&sched->drr);
	if (gm_drr_init(&sched->drr, sched->entries, WAITING * sched->entries, QUANTUM) < 0)
		fail(1, "no memory for %u queues", sched->entries);
	for (uint32_t i = 0; i < WAITING * sched->entries; i++)
		gm_drr_enqueue(&sched->drr, i % sched->entries, i, sched->lengths[i]);
}

static void drr_pass(void *state)
{
	struct sched *sched = state;

	for (uint32_t i = 0; i < OPERATIONS; i++) {
		uint32_t packet = gm_drr_dequeue(&sched->drr);

		gm_drr_enqueue(&sched->drr, sched->queues[i], packet, sched->lengths[packet]);
		sched->gateway.results[i] = packet;
	}
}

static void fair_prepare(void *state)
{
	struct sched *sched = state;

	gm_fair_queue_free(&sched->fair);
	if (gm_fair_queue_init(&sched->fair, sched->entries, WAITING * sched->entries) < 0)
		fail(1, "no memory for %u queues", sched->entries);
	for (uint32_t i = 0; i < WAITING * sched->entries; i++)
		gm_fair_queue_enqueue(&sched->fair, i % sched->entries, i, sched->lengths[i]);
}

static void fair_pass(void *state)
{
	struct sched *sched = state;

	for (uint32_t i = 0; i < OPERATIONS; i++) {
		uint32_t packet = gm_fair_queue_dequeue(&sched->fair);

		gm_fair_queue_enqueue(&sched->fair, sched->queues[i], packet,
				      sched->lengths[packet]);
		sched->gateway.results[i] = packet;
	}
}

int gateway_sched(struct ask *ask, const char *name)
{
	struct sched sched = { .entries = (uint32_t)ask_number(ask, "entries", 1024, 1, 1U << 16) };
	int fair = ask_choice(ask, "discipline", disciplines);
	struct gm_random random = { 1 };

	sched.gateway.bytes = (fair ? WAITING * 16ULL + 28 : WAITING * 8ULL + 16) * sched.entries;
	gateway_build(&sched.gateway, ask, OPERATIONS);
	sched.lengths = memory_new((size_t)WAITING * sched.entries, sizeof(*sched.lengths));
	sched.queues = memory_new(OPERATIONS, sizeof(*sched.queues));
	for (uint32_t i = 0; i < WAITING * sched.entries; i++)
		sched.lengths[i] = 64 + gm_random_below(&random, QUANTUM - 63);
	for (uint32_t i = 0; i < OPERATIONS; i++)
		sched.queues[i] = gm_random_below(&random, sched.entries);
	gateway_time(&sched.gateway, fair ? fair_prepare : drr_prepare, fair ? fair_pass : drr_pass,
		     &sched, OPERATIONS);
	gateway_record(&sched.gateway, name, "portable");
	record_text("discipline", disciplines[fair]);
	record_number("entries", sched.entries);
	gm_drr_free(&sched.drr);
	gm_fair_queue_free(&sched.fair);
	free(sched.lengths);
	free(sched.queues);
	return gateway_end(&sched.gateway, OPERATIONS);
}
