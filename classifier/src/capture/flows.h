// SPDX-License-Identifier: Apache-2.0
/*
 * The flows of a capture: its TCP and UDP packets with their direction, and what the classifier
 * keeps of each flow. Nothing is ever pushed out, unlike in a gateway's tables.
 */
#ifndef GM_CLASSIFIER_FLOWS_H
#define GM_CLASSIFIER_FLOWS_H

#include "capture/head.h"
#include "classifier/core/classify.h"
#include "replay/capture.h"
#include "replay/file.h"
#include "replay/left.h"
#include "replay/numbers.h"
#include "replay/packet.h"
#include "replay/split.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FLOW_NAME_MOST 128

struct flow_record {
	struct flow_key key;
	bool is_known; /* its LAN side can be told */
	bool low_is_lan; /* of its ends in their order as bytes */
	bool is_kept, is_decided; /* of what the classifier keeps */
	union {
		struct pulse pulse;
		struct jumping jumping;
		struct sliding sliding;
		uint8_t bytes[WINDOW_BYTES_MOST];
	} state;
	struct decision decision;
	uint32_t host; /* number of the LAN's address */
	uint64_t packets, bytes, first_us;

	/* The class that it has now, and the first that it got. */
	uint8_t class, confidence;
	uint64_t decided_packet, decided_us; /* since its first; 0: none yet */
};

struct tables {
	bool slides;
	uint32_t keeps; /* enum keeps */
	bool is_bounded; /* new flows of a host have a bound */
	struct flow_record *current; /* the flow of this packet */
	struct flow_record **record; /* by number */
	size_t records, room;
	struct host *host; /* by number */
	size_t hosts;
	struct bucket probation;
	struct rest rests[RESTS];
};

struct flows {
	struct capture capture;
	struct split split;
	struct numbers numbers, hosts;
	struct tables tables;
	uint64_t last_us;
	struct left left;
};

/* lan: a rule of split.h. 0 or -errno with the fault filled; flows_close() in either case. */
int flows_open(struct flows *flows, const char *path, const struct file *file, const char *lan,
	       struct fault *fault);
void flows_close(struct flows *flows);

/*
 * The next packet of a flow, which is tables.current. 1; 0: the end; -errno with the fault filled.
 * view: the packet itself, valid until the next.
 */
int flows_next(struct flows *flows, struct seen *seen, struct packet_view *view,
	       struct fault *fault);

/*
 * Says on stderr what was left out of the capture. -EINVAL with the fault filled where that is all
 * of it.
 */
int flows_tell_left(const struct flows *flows, struct fault *fault);

/* protocol-lan-port-wan-port. Returns text. */
const char *flow_name(const struct flow_record *record, char text[FLOW_NAME_MOST]);

/* The whole window begins there: hints stand behind it. */
SHARED struct pulse *table_flow(struct tables *tables, const struct flow_key *key)
{
	(void)key;
	return tables->current->is_kept ? (void *)tables->current->state.bytes : NULL;
}

SHARED struct pulse *table_flow_make(struct tables *tables, const struct flow_key *key)
{
	(void)key;
	tables->current->is_kept = true;
	return (void *)tables->current->state.bytes;
}

SHARED struct decision *table_decision(struct tables *tables, const struct flow_key *key)
{
	(void)key;
	return tables->current->is_decided ? &tables->current->decision : NULL;
}

SHARED struct decision *table_decision_make(struct tables *tables, const struct flow_key *key)
{
	(void)key;
	tables->current->is_decided = true;
	return &tables->current->decision;
}

SHARED void table_decision_drop(struct tables *tables, const struct flow_key *key)
{
	(void)key;
	tables->current->is_decided = false;
}

SHARED void table_untracked(struct tables *tables)
{
	(void)tables;
}

SHARED struct host *table_host(struct tables *tables, const struct flow_key *key)
{
	(void)key;
	return tables->is_bounded ? &tables->host[tables->current->host] : NULL;
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
