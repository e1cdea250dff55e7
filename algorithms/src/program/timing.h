/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a kernel is timed: one pass to warm up, then repeats of as many passes as fill the asked
 * time. Each repeat gives one value: nanoseconds an operation.
 */
#ifndef GM_PROGRAM_TIMING_H
#define GM_PROGRAM_TIMING_H

#include "program/ask.h"

#include <stdint.h>

enum { TIMING_REPEATS = 64 };

struct timing {
	unsigned repeats;
	uint64_t pass_ns; /* at least so long is a repeat */
	uint64_t passes; /* of each repeat; set by timing_run */
	double ns[TIMING_REPEATS]; /* of an operation, one a repeat; set by timing_run */
	unsigned marked; /* which call of timing_run has its repeats marked, from 1; 0: none */
	unsigned calls;
};

/*
 * Takes the keys repeats= (5) and pass_ms= (500); pass_ms=0 is one pass a repeat. With marks=N the
 * repeats of the N-th kernel that is timed begin and end with a store that a counting emulator sees
 * (counter/region.h).
 */
void timing_ask(struct timing *timing, struct ask *ask);

/*
 * Times `pass`, which does `operations` operations on `state`.
 * Nothing between two passes of a repeat is left out, so a pass must not prepare anything.
 */
void timing_run(struct timing *timing, void (*pass)(void *state), void *state, uint64_t operations);

/* The same for a pass that uses up what it works on: `prepare` makes it anew, and is not timed. */
void timing_run_prepared(struct timing *timing, void (*prepare)(void *state),
			 void (*pass)(void *state), void *state, uint64_t operations);

/* Writes passes, ns (a value a repeat) and operations to the record, with a prefix to the names. */
void timing_record(const struct timing *timing, const char *prefix, uint64_t operations);

/* Nanoseconds of a clock that only goes forward. */
uint64_t timing_now(void);

#endif
