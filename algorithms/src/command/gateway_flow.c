/* SPDX-License-Identifier: Apache-2.0 */
/*
 * flow entries=N load_pct=50 hit_pct=100 mix=uniform|zipf operation=lookup|insert|expire: a table
 * of 5-tuples. In the mix zipf flow r is asked for in proportion to 1/r.
 */
#include "command/gateway.h"
#include "common/zipf.h"
#include "gm/flow_table.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>
#include <string.h>

enum { LOOKUP, INSERT, EXPIRE };
static const char *const operations[] = { "lookup", "insert", "expire", NULL };
static const char *const mixes[] = { "uniform", "zipf", NULL };

struct flow {
	struct gateway gateway;
	struct gm_flow_table table;
	struct gm_flow_key *keys; /* of the flows */
	struct gm_flow_key *queries;
	uint32_t entries, load_pct, hit_pct, slots;
	int mix, operation;
};

static struct gm_flow_key drawn(struct gm_random *random)
{
	struct gm_flow_key key;

	key.source = gm_random_u32(random);
	key.destination = gm_random_u32(random);
	key.ports = gm_random_u32(random);
	key.protocol = gm_random_below(random, 2) ? 6 : 17;
	return key;
}

static void insert_pass(void *state)
{
	struct flow *flow = state;

	for (uint32_t i = 0; i < flow->entries; i++) {
		uint32_t slot = gm_flow_table_insert(&flow->table, &flow->keys[i]);

		flow->table.flows[slot].value = i + 1;
		flow->table.flows[slot].seen = i;
		flow->gateway.results[i] = flow->table.count;
	}
}

static void empty(void *state)
{
	struct flow *flow = state;

	memset(flow->table.flows, 0, flow->table.slots * sizeof(*flow->table.flows));
	flow->table.count = 0;
	flow->table.cursor = 0;
}

static void fill(void *state)
{
	empty(state);
	insert_pass(state);
}

static void lookup_pass(void *state)
{
	struct flow *flow = state;

	for (uint32_t i = 0; i < flow->gateway.count; i++) {
		uint32_t slot = gm_flow_table_find(&flow->table, &flow->queries[i]);

		flow->gateway.results[i] = slot == GM_FLOW_NONE ? 0 : flow->table.flows[slot].value;
	}
}

/* Every second flow is idle; a gateway looks at some slots at a time. */
static void expire_pass(void *state)
{
	struct flow *flow = state;
	uint32_t half = flow->entries / 2;

	for (uint32_t slot = 0; slot < flow->slots; slot += 64) {
		uint32_t slots = flow->slots - slot < 64 ? flow->slots - slot : 64;

		flow->gateway.results[0] +=
			gm_flow_table_expire(&flow->table, flow->entries, half, slots);
	}
}

static void fill_for_expiry(void *state)
{
	struct flow *flow = state;

	fill(state);
	flow->gateway.results[0] = 0;
	for (uint32_t i = 1; i < flow->gateway.count; i++)
		flow->gateway.results[i] = 0;
}

static void draw_queries(struct flow *flow)
{
	struct gm_random random = { 2 };
	uint64_t *sums = memory_new(flow->entries, sizeof(*sums));

	gm_zipf_weigh(sums, flow->entries);
	flow->queries = memory_new(flow->gateway.count, sizeof(*flow->queries));
	for (uint32_t i = 0; i < flow->gateway.count; i++) {
		uint32_t number = flow->mix ? gm_zipf_draw(sums, flow->entries, &random)
					    : gm_random_below(&random, flow->entries);

		flow->queries[i] = flow->keys[number];
		if (gm_random_below(&random, 100) >= flow->hit_pct)
			flow->queries[i] = drawn(&random);
	}
	free(sums);
}

static void build(struct flow *flow)
{
	struct gm_random random = { 1 };

	if (gm_flow_table_init(&flow->table, flow->slots, 0x9e3779b97f4a7c15) < 0)
		fail(1, "no memory for %u slots", flow->slots);
	flow->keys = memory_new(flow->entries, sizeof(*flow->keys));
	for (uint32_t i = 0; i < flow->entries; i++)
		flow->keys[i] = drawn(&random);
	flow->gateway.bytes = (uint64_t)flow->slots * sizeof(struct gm_flow);
	if (flow->operation != LOOKUP)
		return;
	for (uint32_t i = 0; i < flow->entries; i++)
		flow->table.flows[gm_flow_table_insert(&flow->table, &flow->keys[i])].value = i + 1;
	draw_queries(flow);
}

int gateway_flow(struct ask *ask, const char *name)
{
	struct flow flow = { .entries = (uint32_t)ask_number(ask, "entries", 1000, 1, 1U << 25) };
	uint32_t queries = (uint32_t)ask_number(ask, "queries", 1U << 16, 1, 1U << 24);
	uint64_t done;

	flow.load_pct = (uint32_t)ask_number(ask, "load_pct", 50, 1, 95);
	flow.hit_pct = (uint32_t)ask_number(ask, "hit_pct", 100, 0, 100);
	flow.mix = ask_choice(ask, "mix", mixes);
	flow.operation = ask_choice(ask, "operation", operations);
	flow.slots = (uint32_t)((uint64_t)flow.entries * 100 / flow.load_pct) + 2;
	if (!gateway_fits(ask, name, 32ULL * flow.slots + 28ULL * flow.entries + 20ULL * queries))
		return 0;
	gateway_build(&flow.gateway, ask, flow.operation == LOOKUP ? queries : flow.entries);
	build(&flow);
	done = flow.operation == LOOKUP	  ? queries
	       : flow.operation == INSERT ? flow.entries
					  : flow.slots;
	gateway_time(&flow.gateway,
		     flow.operation == LOOKUP	? NULL
		     : flow.operation == INSERT ? empty
						: fill_for_expiry,
		     flow.operation == LOOKUP	? lookup_pass
		     : flow.operation == INSERT ? insert_pass
						: expire_pass,
		     &flow, done);
	gateway_record(&flow.gateway, name, "portable");
	record_text("operation", operations[flow.operation]);
	record_number("entries", flow.entries);
	record_number("load_pct", flow.load_pct);
	record_number("hit_pct", flow.hit_pct);
	record_text("mix", mixes[flow.mix]);
	gm_flow_table_free(&flow.table);
	free(flow.keys);
	free(flow.queries);
	return gateway_end(&flow.gateway, done);
}
