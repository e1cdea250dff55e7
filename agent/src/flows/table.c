// SPDX-License-Identifier: Apache-2.0
/*
 * The tables are walked key by key. A flow is read and taken out by one call of the kernel (Linux
 * 5.14), under the lock of its bucket; where the kernel has none, by two.
 */
#include "flows/table.h"
#include "time/clock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TCP_FIN 1
#define TCP_RESET 4
#define LINGER_NS (2 * NS_PER_S) /* after the end of a connection: its last packets */

union flow_key {
	struct flow_ipv4 ipv4;
	struct flow_ipv6 ipv6;
};

static struct bpf_map hash(const char *name, uint32_t key_bytes, uint32_t entries)
{
	return (struct bpf_map){
		.name = name,
		.type = BPF_MAP_TYPE_HASH,
		.key_bytes = key_bytes,
		.value_bytes = sizeof(struct flow),
		.entries = entries,
		.fd = -1,
	};
}

int flow_table_open(struct flow_table *table, uint32_t flows, struct fault *fault)
{
	int error;

	table->cpus = bpf_possible_cpus();
	table->ipv4 = hash(FLOWS_IPV4, sizeof(struct flow_ipv4), flows);
	table->ipv6 = hash(FLOWS_IPV6, sizeof(struct flow_ipv6), flows);
	table->counts = (struct bpf_map){
		.name = FLOWS_COUNTS,
		.type = BPF_MAP_TYPE_PERCPU_ARRAY,
		.key_bytes = sizeof(uint32_t),
		.value_bytes = sizeof(uint64_t),
		.entries = FLOWS_KINDS,
		.fd = -1,
	};
	error = bpf_map_create(&table->ipv4, fault);
	if (!error)
		error = bpf_map_create(&table->ipv6, fault);
	return error ? error : bpf_map_create(&table->counts, fault);
}

static bool has_closed(const struct flow_record *record)
{
	uint8_t up = record->flow.tcp_flags[FLOW_UP], down = record->flow.tcp_flags[FLOW_DOWN];

	return (up | down) & TCP_RESET || up & down & TCP_FIN;
}

/* Why it ends now, if it does. */
static enum flow_end ends(const struct flow_record *record, const struct flow_limits *limits,
			  uint64_t now_ns)
{
	const struct flow *flow = &record->flow;
	uint64_t silent_ns = now_ns > flow->last_ns ? now_ns - flow->last_ns : 0;

	if (has_closed(record) && silent_ns >= LINGER_NS)
		return FLOW_ENDED;
	if (silent_ns >= limits->idle_ns)
		return FLOW_IDLE;
	if (now_ns > flow->first_ns && now_ns - flow->first_ns >= limits->active_ns)
		return FLOW_ACTIVE;
	return FLOW_GOES_ON;
}

static void name(struct flow_record *record, const union flow_key *key)
{
	if (record->is_ipv6) {
		memcpy(record->low, key->ipv6.low, sizeof(record->low));
		memcpy(record->high, key->ipv6.high, sizeof(record->high));
		record->low_port = key->ipv6.low_port;
		record->high_port = key->ipv6.high_port;
		record->protocol = (uint8_t)key->ipv6.protocol;
		return;
	}
	record->low[0] = key->ipv4.low;
	record->high[0] = key->ipv4.high;
	record->low_port = key->ipv4.low_port;
	record->high_port = key->ipv4.high_port;
	record->protocol = (uint8_t)key->ipv4.protocol;
}

struct collection {
	const struct flow_limits *limits;
	bool all;
	flow_sink *sink;
	void *context;
	uint64_t now_ns, left;
};

static void look_at(const struct bpf_map *map, struct collection *collection,
		    struct flow_record *record, const union flow_key *key)
{
	if (bpf_map_read(map, key, &record->flow))
		return;
	record->end = collection->all ? FLOW_FORCED
				      : ends(record, collection->limits, collection->now_ns);
	if (!record->end) {
		collection->left++;
		return;
	}
	name(record, key);
	if (bpf_map_take(map, key, &record->flow) == 0)
		collection->sink(collection->context, record);
}

/* The next key is asked for before this one may be gone. */
static void collect(const struct bpf_map *map, struct collection *collection, bool is_ipv6)
{
	struct flow_record record = { .is_ipv6 = is_ipv6 };
	union flow_key key, next;
	int more = bpf_map_next(map, NULL, &next) == 0;

	while (more) {
		key = next;
		more = bpf_map_next(map, &key, &next) == 0;
		look_at(map, collection, &record, &key);
	}
}

uint64_t flow_table_collect(const struct flow_table *table, const struct flow_limits *limits,
			    bool all, flow_sink *sink, void *context)
{
	struct collection collection = {
		.limits = limits,
		.all = all,
		.sink = sink,
		.context = context,
		.now_ns = clock_now(),
	};

	collect(&table->ipv4, &collection, false);
	collect(&table->ipv6, &collection, true);
	return collection.left;
}

struct flow_counts flow_table_count(const struct flow_table *table)
{
	uint64_t *value = calloc(table->cpus, sizeof(*value));
	struct flow_counts counts = { 0 };

	for (uint32_t kind = 0; value && kind < FLOWS_KINDS; kind++)
		if (bpf_map_read(&table->counts, &kind, value) == 0)
			for (unsigned int i = 0; i < table->cpus; i++)
				counts.of[kind] += value[i];
	free(value);
	return counts;
}

static void close_map(struct bpf_map *map)
{
	if (map->fd >= 0)
		close(map->fd);
	map->fd = -1;
}

void flow_table_close(struct flow_table *table)
{
	close_map(&table->ipv4);
	close_map(&table->ipv6);
	close_map(&table->counts);
}
