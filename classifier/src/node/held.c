// SPDX-License-Identifier: Apache-2.0
/* Chains of flows by their hash. A flow that ended leaves its chain when its place is needed. */
#include "node/held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct held_flow {
	struct flow_key key;
	uint32_t end_s;
	uint32_t by; /* enum held_by */
	uint32_t next; /* place in its chain, or among the free ones */
};

int held_open(struct held *held)
{
	*held = (struct held){ 0 };
	held->flow = calloc(HELD_FLOWS, sizeof(*held->flow));
	held->first = calloc(HELD_FLOWS, sizeof(*held->first));
	if (!held->flow || !held->first)
		return -ENOMEM;
	if (getrandom(held->secret, sizeof(held->secret), 0) != sizeof(held->secret))
		return -errno;
	return 0;
}

void held_close(struct held *held)
{
	free(held->flow);
	free(held->first);
	*held = (struct held){ 0 };
}

void held_clear(struct held *held)
{
	memset(held->first, 0, HELD_FLOWS * sizeof(*held->first));
	held->touched = held->free = held->flows = held->looked_s = 0;
}

static struct held_flow *flow_at(const struct held *held, uint32_t place)
{
	return &held->flow[place - 1];
}

/* Where the flow's place is written, or would be: at its chain's end. */
static uint32_t *find(const struct held *held, const struct flow_key *key)
{
	struct siphash hash;
	uint32_t *link;

	siphash_begin(&hash, held->secret);
	siphash_add(&hash, key, sizeof(*key));
	link = &held->first[siphash_end(&hash) % HELD_FLOWS];
	while (*link && memcmp(&flow_at(held, *link)->key, key, sizeof(*key)) != 0)
		link = &flow_at(held, *link)->next;
	return link;
}

static void release(struct held *held, uint32_t *link)
{
	uint32_t place = *link;

	*link = flow_at(held, place)->next;
	flow_at(held, place)->next = held->free;
	held->free = place;
	held->flows--;
}

/* Once a second at most: orders that find no room are cheap, however many there are. */
static void release_ended(struct held *held, uint32_t now_s)
{
	if (held->looked_s == now_s)
		return;
	held->looked_s = now_s;
	for (size_t chain = 0; chain < HELD_FLOWS; chain++) {
		uint32_t *link = &held->first[chain];

		while (*link) {
			if (flow_at(held, *link)->end_s <= now_s)
				release(held, link);
			else
				link = &flow_at(held, *link)->next;
		}
	}
}

/* A free place, of which there has to be one. */
static uint32_t free_place(struct held *held)
{
	uint32_t place = held->free;

	if (!place)
		return ++held->touched;
	held->free = flow_at(held, place)->next;
	return place;
}

/* What has ended is nobody's, even before its place is free. */
static bool may(const struct held_flow *flow, enum held_by by, uint32_t now_s)
{
	return by == HELD_KEYED || flow->by == HELD_UNKEYED || flow->end_s <= now_s;
}

bool held_take(struct held *held, const struct flow_key *key, enum held_by by, uint32_t end_s,
	       uint32_t now_s, uint32_t most)
{
	uint32_t *link = find(held, key);

	if (*link) {
		struct held_flow *flow = flow_at(held, *link);

		if (!may(flow, by, now_s))
			return false;
		flow->end_s = end_s;
		flow->by = by;
		return true;
	}
	if (held->flows >= most) {
		release_ended(held, now_s);
		link = find(held, key);
	}
	if (held->flows >= most)
		return false;
	*link = free_place(held);
	*flow_at(held, *link) = (struct held_flow){ .key = *key, .end_s = end_s, .by = by };
	held->flows++;
	return true;
}

bool held_drop(struct held *held, const struct flow_key *key, enum held_by by, uint32_t now_s)
{
	uint32_t *link = find(held, key);

	if (!*link || !may(flow_at(held, *link), by, now_s))
		return false;
	release(held, link);
	return true;
}
