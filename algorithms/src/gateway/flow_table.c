/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/flow_table.h"

#include "gm/random.h"

#include <stdlib.h>
#include <string.h>

int gm_flow_table_init(struct gm_flow_table *table, uint32_t slots, uint64_t seed)
{
	memset(table, 0, sizeof(*table));
	if (slots > GM_FLOW_SLOTS_MOST)
		return -1;
	table->flows = malloc(slots * sizeof(*table->flows));
	if (!table->flows)
		return -1;
	/* Written, so that each page is a page of its own. */
	memset(table->flows, 0, slots * sizeof(*table->flows));
	table->slots = slots;
	table->seed = seed;
	return 0;
}

void gm_flow_table_free(struct gm_flow_table *table)
{
	free(table->flows);
	memset(table, 0, sizeof(*table));
}

static inline uint32_t hash_of(const struct gm_flow_table *table, const struct gm_flow_key *key)
{
	uint64_t addresses = (uint64_t)key->source << 32 | key->destination;
	uint64_t rest = (uint64_t)key->protocol << 32 | key->ports;
	uint32_t hash = (uint32_t)(gm_mix64(gm_mix64(addresses ^ table->seed) ^ rest) >> 32);

	return hash ? hash : 1;
}

/* Where a flow of this hash is looked for first. */
static inline uint32_t home(const struct gm_flow_table *table, uint32_t hash)
{
	return (uint32_t)(((uint64_t)hash * table->slots) >> 32);
}

static inline uint32_t after(const struct gm_flow_table *table, uint32_t slot)
{
	return slot + 1 == table->slots ? 0 : slot + 1;
}

static inline int equal(const struct gm_flow_key *left, const struct gm_flow_key *right)
{
	return !((left->source ^ right->source) | (left->destination ^ right->destination) |
		 (left->ports ^ right->ports) | (left->protocol ^ right->protocol));
}

/* The slot of a flow, or the free slot that ends the search for it. */
static inline uint32_t probe(const struct gm_flow_table *table, const struct gm_flow_key *key,
			     uint32_t hash)
{
	uint32_t slot = home(table, hash);

	while (table->flows[slot].hash &&
	       !(table->flows[slot].hash == hash && equal(&table->flows[slot].key, key)))
		slot = after(table, slot);
	return slot;
}

uint32_t gm_flow_table_find(const struct gm_flow_table *table, const struct gm_flow_key *key)
{
	uint32_t slot = probe(table, key, hash_of(table, key));

	return table->flows[slot].hash ? slot : GM_FLOW_NONE;
}

uint32_t gm_flow_table_insert(struct gm_flow_table *table, const struct gm_flow_key *key)
{
	uint32_t hash = hash_of(table, key);
	uint32_t slot = probe(table, key, hash);
	struct gm_flow *flow = &table->flows[slot];

	if (flow->hash)
		return slot;
	if (table->count + 1 == table->slots)
		return GM_FLOW_NONE;
	memset(flow, 0, sizeof(*flow));
	flow->key = *key;
	flow->hash = hash;
	table->count++;
	return slot;
}

/* Frees a slot: a flow behind it moves up unless its home lies between the hole and itself. */
static void clear(struct gm_flow_table *table, uint32_t hole)
{
	uint32_t slot = after(table, hole);

	for (; table->flows[slot].hash; slot = after(table, slot)) {
		uint32_t first = home(table, table->flows[slot].hash);
		int between = hole < slot ? hole < first && first <= slot
					  : hole < first || first <= slot;

		if (between)
			continue;
		table->flows[hole] = table->flows[slot];
		hole = slot;
	}
	table->flows[hole].hash = 0;
	table->count--;
}

int gm_flow_table_remove(struct gm_flow_table *table, const struct gm_flow_key *key)
{
	uint32_t slot = gm_flow_table_find(table, key);

	if (slot == GM_FLOW_NONE)
		return 0;
	clear(table, slot);
	return 1;
}

uint32_t gm_flow_table_expire(struct gm_flow_table *table, uint32_t now, uint32_t idle,
			      uint32_t slots)
{
	uint32_t removed = 0;

	for (; slots; slots--) {
		/* What moved into the hole is looked at as well. */
		while (table->flows[table->cursor].hash &&
		       now - table->flows[table->cursor].seen > idle) {
			clear(table, table->cursor);
			removed++;
		}
		table->cursor = after(table, table->cursor);
	}
	return removed;
}
