/* SPDX-License-Identifier: Apache-2.0 */
#include "program/timing.h"

#include "program/record.h"

#include <stdio.h>
#include <time.h>

uint64_t timing_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

void timing_ask(struct timing *timing, struct ask *ask)
{
	timing->repeats = (unsigned)ask_number(ask, "repeats", 5, 1, TIMING_REPEATS);
	timing->pass_ns = ask_number(ask, "pass_ms", 500, 0, 60000) * 1000000U;
}

static uint64_t timed(void (*pass)(void *state), void *state, uint64_t passes)
{
	uint64_t began = timing_now();

	for (uint64_t i = 0; i < passes; i++)
		pass(state);
	return timing_now() - began;
}

void timing_run(struct timing *timing, void (*pass)(void *state), void *state, uint64_t operations)
{
	uint64_t once = timed(pass, state, 1);

	/* The first pass fills the caches; the second says how long one takes. */
	if (timing->pass_ns)
		once = timed(pass, state, 1);
	timing->passes = 1 + timing->pass_ns / (once ? once : 1);
	for (unsigned i = 0; i < timing->repeats; i++) {
		uint64_t taken = timed(pass, state, timing->passes);

		timing->ns[i] = (double)taken / (double)(operations * timing->passes);
	}
}

void timing_run_prepared(struct timing *timing, void (*prepare)(void *state),
			 void (*pass)(void *state), void *state, uint64_t operations)
{
	prepare(state);
	timing->passes = 1 + timing->pass_ns / (timed(pass, state, 1) + 1);
	for (unsigned i = 0; i < timing->repeats; i++) {
		uint64_t taken = 0;

		for (uint64_t j = 0; j < timing->passes; j++) {
			prepare(state);
			taken += timed(pass, state, 1);
		}
		timing->ns[i] = (double)taken / (double)(operations * timing->passes);
	}
}

void timing_record(const struct timing *timing, const char *prefix, uint64_t operations)
{
	char name[64];

	snprintf(name, sizeof(name), "%soperations", prefix);
	record_number(name, operations);
	snprintf(name, sizeof(name), "%spasses", prefix);
	record_number(name, timing->passes);
	snprintf(name, sizeof(name), "%sns", prefix);
	record_reals(name, timing->ns, timing->repeats);
}
