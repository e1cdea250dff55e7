// SPDX-License-Identifier: Apache-2.0
/*
 * The tables are walked key by key. A flow that has ended is read and taken out by one call of the
 * kernel (Linux 5.14), under the lock of its bucket; where the kernel has none, by two. A flow of
 * which a part is reported stays where it is: its packets go on meanwhile, and its next one would
 * begin a flow of its own, maybe from the other end.
 */
#include "flows/table.h"
#include "kernel/cpus.h"
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

void flow_table_prepare(struct flow_table *table)
{
	table->ipv4.flows.fd = table->ipv4.parts.fd = -1;
	table->ipv6.flows.fd = table->ipv6.parts.fd = -1;
	table->counts.fd = -1;
}

/* Few flows are reported in parts: these take memory as they come. */
static int open_family(struct flow_family *family, const struct bpf_map *like, struct fault *fault)
{
	int error;

	family->flows = *like;
	error = bpf_map_create(&family->flows, fault);
	if (error)
		return error;
	family->parts = *like;
	family->parts.name = "flow_parts";
	family->parts.flags = BPF_F_NO_PREALLOC;
	return bpf_map_create(&family->parts, fault);
}

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
	struct bpf_map ipv4 = hash(FLOWS_IPV4, sizeof(struct flow_ipv4), flows);
	struct bpf_map ipv6 = hash(FLOWS_IPV6, sizeof(struct flow_ipv6), flows);
	int error = cpus_possible(&table->cpus, fault);

	if (error)
		return error;
	table->counts = (struct bpf_map){
		.name = FLOWS_COUNTS,
		.type = BPF_MAP_TYPE_PERCPU_ARRAY,
		.key_bytes = sizeof(uint32_t),
		.value_bytes = sizeof(uint64_t),
		.entries = FLOWS_KINDS,
		.fd = -1,
	};
	error = open_family(&table->ipv4, &ipv4, fault);
	if (!error)
		error = open_family(&table->ipv6, &ipv6, fault);
	return error ? error : bpf_map_create(&table->counts, fault);
}

uint64_t flow_first_ns(const struct flow *flow)
{
	uint64_t up = flow->first_ns[FLOW_UP], down = flow->first_ns[FLOW_DOWN];

	return up && (!down || up < down) ? up : down;
}

uint64_t flow_last_ns(const struct flow *flow)
{
	uint64_t up = flow->last_ns[FLOW_UP], down = flow->last_ns[FLOW_DOWN];

	return up > down ? up : down;
}

static uint64_t count_packets(const struct flow *flow)
{
	return flow->packets[FLOW_UP] + flow->packets[FLOW_DOWN];
}

bool flow_take_off(struct flow *flow, const struct flow *reported)
{
	for (int way = 0; way < FLOW_WAYS; way++) {
		flow->packets[way] -= reported->packets[way];
		flow->bytes[way] -= reported->bytes[way];
		if (!flow->packets[way])
			flow->first_ns[way] = flow->last_ns[way] = 0;
		else if (reported->packets[way])
			flow->first_ns[way] = reported->last_ns[way];
	}
	return count_packets(flow);
}

static bool has_closed(const struct flow *flow)
{
	uint8_t up = flow->tcp_flags[FLOW_UP], down = flow->tcp_flags[FLOW_DOWN];

	return (up | down) & TCP_RESET || up & down & TCP_FIN;
}

static uint64_t age_of(uint64_t time_ns, uint64_t now_ns)
{
	return now_ns > time_ns ? now_ns - time_ns : 0;
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

/* What was reported of a flow; zeros of one that is too young for that. */
static struct flow read_reported(const struct flow_family *family,
				 const struct collection *collection, const struct flow *flow,
				 const union flow_key *key)
{
	struct flow reported = { 0 };

	if (age_of(flow_first_ns(flow), collection->now_ns) >= collection->limits->active_ns)
		bpf_map_read(&family->parts, key, &reported);
	return reported;
}

/* Why it ends now, or a part of it, if it does. */
static enum flow_end ends(const struct flow *flow, const struct flow *reported,
			  const struct collection *collection)
{
	uint64_t silent_ns = age_of(flow_last_ns(flow), collection->now_ns);
	uint64_t begin_ns = count_packets(reported) ? flow_last_ns(reported) : flow_first_ns(flow);

	if (collection->all)
		return FLOW_FORCED;
	if (has_closed(flow) && silent_ns >= LINGER_NS)
		return FLOW_ENDED;
	if (silent_ns >= collection->limits->idle_ns)
		return FLOW_IDLE;
	if (count_packets(flow) != count_packets(reported) &&
	    age_of(begin_ns, collection->now_ns) >= collection->limits->active_ns)
		return FLOW_ACTIVE;
	return FLOW_GOES_ON;
}

/* Takes it out, or notes what is reported of it. 0 or -errno. */
static int settle(const struct flow_family *family, struct flow_record *record,
		  const struct flow *reported, const union flow_key *key)
{
	struct flow part;

	if (record->end == FLOW_ACTIVE)
		return bpf_map_write(&family->parts, key, &record->flow);
	if (count_packets(reported))
		bpf_map_take(&family->parts, key, &part);
	return bpf_map_take(&family->flows, key, &record->flow);
}

static void look_at(const struct flow_family *family, struct collection *collection,
		    struct flow_record *record, const union flow_key *key)
{
	struct flow reported;

	if (bpf_map_read(&family->flows, key, &record->flow))
		return;
	reported = read_reported(family, collection, &record->flow, key);
	record->end = ends(&record->flow, &reported, collection);
	if (record->end == FLOW_GOES_ON || record->end == FLOW_ACTIVE)
		collection->left++;
	if (record->end == FLOW_GOES_ON || settle(family, record, &reported, key))
		return;
	name(record, key);
	if (flow_take_off(&record->flow, &reported))
		collection->sink(collection->context, record);
}

/* The next key is asked for before this one may be gone. 0 or -errno. */
static int collect(const struct flow_family *family, struct collection *collection, bool is_ipv6)
{
	struct flow_record record = { .is_ipv6 = is_ipv6 };
	union flow_key key, next;
	int error = bpf_map_next(&family->flows, NULL, &next);

	while (!error) {
		key = next;
		error = bpf_map_next(&family->flows, &key, &next);
		look_at(family, collection, &record, &key);
	}
	return error == -ENOENT ? 0 : error;
}

int flow_table_collect(const struct flow_table *table, const struct flow_limits *limits, bool all,
		       flow_sink *sink, void *context, uint64_t *left)
{
	struct collection collection = {
		.limits = limits,
		.all = all,
		.sink = sink,
		.context = context,
		.now_ns = clock_now(),
	};
	int error = collect(&table->ipv4, &collection, false);

	if (!error)
		error = collect(&table->ipv6, &collection, true);
	*left = collection.left;
	return error;
}

int flow_table_count(const struct flow_table *table, struct flow_counts *counts)
{
	uint64_t *value = calloc(table->cpus, sizeof(*value));
	int error = value ? 0 : -ENOMEM;

	*counts = (struct flow_counts){ 0 };
	for (uint32_t kind = 0; !error && kind < FLOWS_KINDS; kind++) {
		error = bpf_map_read(&table->counts, &kind, value);
		for (unsigned int i = 0; !error && i < table->cpus; i++)
			counts->of[kind] += value[i];
	}
	free(value);
	return error;
}

static void close_map(struct bpf_map *map)
{
	if (map->fd >= 0)
		close(map->fd);
	map->fd = -1;
}

void flow_table_close(struct flow_table *table)
{
	close_map(&table->ipv4.flows);
	close_map(&table->ipv4.parts);
	close_map(&table->ipv6.flows);
	close_map(&table->ipv6.parts);
	close_map(&table->counts);
}
