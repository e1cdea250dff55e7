/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One pattern as a program of steps (a set, a fork, an assertion, the end), and the closures of its
 * steps: what can be read next from a place. Equal closures are one place.
 *
 * Source: K. Thompson, "Regular expression search algorithm" (1968).
 */
#ifndef GM_AUTOMATON_STEPS_H
#define GM_AUTOMATON_STEPS_H

#include "gm/match.h"
#include "pattern/forest.h"

/* What was read before a place. */
enum gm_after {
	GM_AFTER_START, /* nothing: the record begins */
	GM_AFTER_OTHER,
	GM_AFTER_NEWLINE,
	GM_AFTER_LAST, /* the newline that ends the record, by an assertion */
};

/* What must follow, from nothing to the end; each implies those before. */
enum gm_level {
	GM_LEVEL_NONE,
	GM_LEVEL_LINE_END,
	GM_LEVEL_LAST_LINE_END,
	GM_LEVEL_END,
	GM_LEVEL_NEVER,
};

#define GM_PLACE_DEAD UINT32_MAX

struct gm_step {
	uint32_t kind; /* enum gm_step_kind, in steps.c */
	uint32_t value; /* a set, an assertion, or the other branch of a fork */
	uint32_t next;
};

/* A way out of a place: read a byte of `set`, then be at step `next`. */
struct gm_exit {
	uint32_t set;
	uint32_t next;
	uint32_t level;
};

struct gm_closure {
	uint32_t exits, count;
	uint32_t accept; /* enum gm_level */
	uint32_t chain; /* the next closure with the same hash */
};

enum { GM_STEPS_BUCKETS = 1024 };

struct gm_steps {
	const struct gm_forest *forest;
	uint64_t max_bytes;
	struct gm_step *steps;
	uint32_t step_count, step_room;
	uint32_t entry; /* the pattern's first step */
	uint32_t first_place; /* the number of its first place in the automaton */
	struct gm_closure *closures; /* its places, in the order in which they are found */
	uint32_t closure_count, closure_room;
	uint32_t done; /* so many of them are in the automaton */
	struct gm_exit *exits;
	uint32_t exit_count, exit_room;
	uint32_t *known; /* the place of a step after each enum gm_after */
	uint8_t *levels; /* of a step in the closure at hand: the least level that reached it */
	uint32_t *stack, *reached;
	uint32_t work_room; /* steps for which there is room in the four above */
	uint32_t heads[GM_STEPS_BUCKETS];
};

void gm_steps_init(struct gm_steps *steps, const struct gm_forest *forest, uint64_t max_bytes);
void gm_steps_free(struct gm_steps *steps);

/* Forgets the last pattern and takes the next; all return a status of enum gm_match_status. */
int gm_steps_compile(struct gm_steps *steps, uint32_t root, uint32_t first_place);

/* The place of a step after what was read, GM_PLACE_DEAD if nothing can come of it. */
int gm_steps_place(struct gm_steps *steps, uint32_t index, enum gm_after after, uint32_t *place);

/* The place that accepts with this level and has no way out. */
int gm_steps_accept(struct gm_steps *steps, enum gm_level level, uint32_t *place);

#endif
