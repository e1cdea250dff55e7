/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of gm_lazy. A state is a sorted set of places. A cell is the offset of the next state's
 * row, so state 0 is none and its offset means `not made yet`; bit 31 marks a state that accepts.
 */
#ifndef GM_MATCH_LAZY_H
#define GM_MATCH_LAZY_H

#include "automaton/nfa.h"
#include "gm/lazy.h"
#include "gm/records.h"
#include "payload/result.h"

enum { GM_LAZY_LANES = 8, GM_LAZY_LEAST = 3 };

#define GM_LAZY_ACCEPTS UINT32_C(0x80000000)

struct gm_lazy_state {
	uint32_t set; /* in the pool: its places, then the ids that it accepts */
	uint32_t places;
	uint32_t accepts;
	uint32_t chain; /* the next state with the same hash */
};

/* Where a root leads by each class: targets[first[class]] ... */
struct gm_lazy_root {
	uint32_t *first;
	uint32_t *targets;
};

struct gm_lazy_lane {
	const uint8_t *text;
	uint32_t left;
	uint32_t row; /* offset of its state's row */
	uint32_t record;
	int used;
	struct gm_hits hits;
};

struct gm_lazy {
	struct gm_nfa nfa;
	struct gm_lazy_root roots[3];
	uint32_t classes;
	uint32_t lanes_used;
	/* The set at hand. */
	uint32_t *set;
	uint32_t count;
	uint32_t *seen;
	uint32_t seen_stamp;
	uint32_t *other; /* a second set, for the simulation */
	/* The cache. */
	uint32_t *next;
	struct gm_lazy_state *states;
	uint32_t used, room; /* states, without state 0 */
	uint32_t *pool;
	uint32_t pool_used, pool_room;
	uint32_t *heads;
	uint32_t head_mask;
	uint32_t start; /* the start's row, 0: not made */
	/* Since the last flush, and of all scans. */
	uint64_t bytes_read;
	uint64_t built, flushes, simulated;
	struct gm_lazy_lane lanes[GM_LAZY_LANES];
};

/* Puts into `set` what follows places[0..count) by a class. */
void gm_lazy_follow(struct gm_lazy *lazy, const uint32_t *places, uint32_t count, uint32_t class);

/* The row of the state whose places are in `set`, made if it is new; 0 if the cache is full. */
uint32_t gm_lazy_state_of_set(struct gm_lazy *lazy);

/* Forgets all states but those of the lanes, whose rows it sets anew. */
void gm_lazy_flush(struct gm_lazy *lazy);

/* Puts the start's places into `set`. */
void gm_lazy_begin(struct gm_lazy *lazy);

static inline const struct gm_lazy_state *gm_lazy_state(const struct gm_lazy *lazy, uint32_t row)
{
	return &lazy->states[(row & ~GM_LAZY_ACCEPTS) / lazy->classes];
}

#endif
