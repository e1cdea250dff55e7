// SPDX-License-Identifier: Apache-2.0
/* What the classifier keeps of live flows where the kernel has no BPF: bounded as its maps are. */
#ifndef GM_LIVE_TABLES_H
#define GM_LIVE_TABLES_H

#include "classifier/core/classify.h"
#include "live/cache.h"

#define LIVE_HOSTS 4096

union live_window {
	struct pulse pulse;
	struct jumping jumping;
	struct sliding sliding;
	uint8_t bytes[WINDOW_BYTES_MOST];
};

struct tables {
	bool slides;
	uint32_t keeps; /* enum keeps */
	struct cache flows, decisions, hosts;
	struct bucket probation;
	struct rest rests[RESTS];
	uint64_t now_us, idle_us; /* of this packet; after which a decision makes room */
	uint64_t full; /* decisions that found no room */
	uint64_t untracked; /* packets of flows that found none, or were too many of a host */
};

SHARED struct pulse *table_flow(struct tables *tables, const struct flow_key *key)
{
	return cache_find(&tables->flows, key, tables->now_us);
}

SHARED struct pulse *table_flow_make(struct tables *tables, const struct flow_key *key)
{
	return cache_make(&tables->flows, key, tables->now_us, 0);
}

SHARED struct decision *table_decision(struct tables *tables, const struct flow_key *key)
{
	return cache_find(&tables->decisions, key, tables->now_us);
}

SHARED struct decision *table_decision_make(struct tables *tables, const struct flow_key *key)
{
	struct decision *decision =
		cache_make(&tables->decisions, key, tables->now_us, tables->idle_us);

	tables->full += !decision;
	return decision;
}

SHARED void table_decision_drop(struct tables *tables, const struct flow_key *key)
{
	cache_drop(&tables->decisions, key);
}

SHARED void table_untracked(struct tables *tables)
{
	tables->untracked++;
}

SHARED struct host *table_host(struct tables *tables, const struct flow_key *key)
{
	struct host *host = cache_find(&tables->hosts, key->lan, tables->now_us);

	return host ? host : cache_make(&tables->hosts, key->lan, tables->now_us, 0);
}

SHARED struct bucket *table_probation(struct tables *tables)
{
	return &tables->probation;
}

SHARED struct rest *table_rest(struct tables *tables, __u32 place)
{
	return &tables->rests[place % RESTS];
}

SHARED int table_slides(const struct tables *tables)
{
	return tables->slides;
}

SHARED __u32 table_keeps(const struct tables *tables)
{
	return tables->keeps;
}

#endif
