/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of flows by their 5-tuple, as connection tracking has: open addressing with linear
 * probing, 32 bytes a slot, two slots a cache line. A flow that is removed leaves no gravestone:
 * those behind it move up (Knuth, The Art of Computer Programming, volume 3, 6.4, algorithm R).
 *
 * The number of slots is any number, so that a load is exact. One slot stays free.
 */
#ifndef GM_FLOW_TABLE_H
#define GM_FLOW_TABLE_H

#include <stdint.h>

#define GM_FLOW_NONE UINT32_MAX
#define GM_FLOW_SLOTS_MOST (UINT32_C(1) << 26) /* 2 GiB */

struct gm_flow_key {
	uint32_t source; /* addresses as numbers */
	uint32_t destination;
	uint32_t ports; /* the source's in the high half */
	uint32_t protocol; /* of 8 bits; the rest is zero */
};

struct gm_flow {
	struct gm_flow_key key;
	uint32_t hash; /* 0: the slot is free */
	uint32_t value; /* the caller's */
	uint32_t seen; /* when it was last seen, in the caller's unit */
	uint32_t packets; /* the caller's */
};

struct gm_flow_table {
	struct gm_flow *flows;
	uint64_t seed; /* of the hash: not to be known by those who send */
	uint32_t slots;
	uint32_t count; /* of flows */
	uint32_t cursor; /* where gm_flow_table_expire goes on */
};

/* Makes a table of `slots` (at least 2) free slots, all touched. -1 where memory is short or there
 * are too many. */
int gm_flow_table_init(struct gm_flow_table *table, uint32_t slots, uint64_t seed);
void gm_flow_table_free(struct gm_flow_table *table);

/* The slot of a flow, an index into table->flows, or GM_FLOW_NONE. */
uint32_t gm_flow_table_find(const struct gm_flow_table *table, const struct gm_flow_key *key);

/*
 * The slot of a flow, which is inserted where it is not there: value, seen and packets are then 0.
 * GM_FLOW_NONE where the table is full. Slots change with every removal.
 */
uint32_t gm_flow_table_insert(struct gm_flow_table *table, const struct gm_flow_key *key);

/* Removes a flow: 1, or 0 where it was not there. */
int gm_flow_table_remove(struct gm_flow_table *table, const struct gm_flow_key *key);

/*
 * Looks at `slots` slots, from where the last call ended, and removes flows that were seen more
 * than `idle` before `now` (differences modulo 2^32). Returns how many it removed.
 */
uint32_t gm_flow_table_expire(struct gm_flow_table *table, uint32_t now, uint32_t idle,
			      uint32_t slots);

#endif
