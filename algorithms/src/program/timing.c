/* SPDX-License-Identifier: Apache-2.0 */
#include "program/timing.h"

#include "program/record.h"

#include <stdio.h>
#include <sys/mman.h>
#include <time.h>

/* Where counter/region.h looks for marks: a page that nothing else has, below all of a kernel's. */
#define MARKS UINT32_C(0x5a000000)
#define MARKS_BYTES 4096
#define MARK_OPEN 0
#define MARK_CLOSE (0x800 / sizeof(uint32_t))

static volatile uint32_t *marks; /* NULL: none are made */

uint64_t timing_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static void marks_map(void)
{
	const union {
		uintptr_t number;
		void *pointer;
	} wish = { MARKS };
	void *page = mmap(wish.pointer, MARKS_BYTES, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Without MAP_FIXED the address is but a wish, and nothing that is there is lost. */
	if (page != wish.pointer)
		fail(1, "marks: no page at 0x%x", (unsigned)MARKS);
	marks = page;
	marks[1] = 0; /* so that the page is there before it is needed */
}

void timing_ask(struct timing *timing, struct ask *ask)
{
	timing->repeats = (unsigned)ask_number(ask, "repeats", 5, 1, TIMING_REPEATS);
	timing->pass_ns = ask_number(ask, "pass_ms", 500, 0, 60000) * 1000000U;
	timing->calls = 0;
	timing->marked = (unsigned)ask_number(ask, "marks", 0, 0, 16);
	if (timing->marked)
		marks_map();
}

static uint64_t timed(void (*pass)(void *state), void *state, uint64_t passes)
{
	uint64_t began = timing_now();

	for (uint64_t i = 0; i < passes; i++)
		pass(state);
	return timing_now() - began;
}

static int is_marked(const struct timing *timing)
{
	return marks && timing->calls == timing->marked;
}

/* The next kernel. The emulator's caches work from the first mark on: what warms up fills them. */
static void begin(struct timing *timing)
{
	timing->calls++;
	if (is_marked(timing)) {
		marks[MARK_OPEN] = 1;
		marks[MARK_CLOSE] = 1;
	}
}

static uint64_t counted(const struct timing *timing, void (*pass)(void *state), void *state,
			uint64_t passes)
{
	int marked = is_marked(timing);
	uint64_t taken;

	if (marked)
		marks[MARK_OPEN] = 1;
	taken = timed(pass, state, passes);
	if (marked)
		marks[MARK_CLOSE] = 1;
	return taken;
}

void timing_run(struct timing *timing, void (*pass)(void *state), void *state, uint64_t operations)
{
	uint64_t once;

	begin(timing);
	once = timed(pass, state, 1);
	/* The first pass fills the caches; the second says how long one takes. */
	if (timing->pass_ns)
		once = timed(pass, state, 1);
	timing->passes = 1 + timing->pass_ns / (once ? once : 1);
	for (unsigned i = 0; i < timing->repeats; i++) {
		uint64_t taken = counted(timing, pass, state, timing->passes);

		timing->ns[i] = (double)taken / (double)(operations * timing->passes);
	}
}

void timing_run_prepared(struct timing *timing, void (*prepare)(void *state),
			 void (*pass)(void *state), void *state, uint64_t operations)
{
	begin(timing);
	prepare(state);
	timing->passes = 1 + timing->pass_ns / (timed(pass, state, 1) + 1);
	for (unsigned i = 0; i < timing->repeats; i++) {
		uint64_t taken = 0;

		for (uint64_t j = 0; j < timing->passes; j++) {
			prepare(state);
			taken += counted(timing, pass, state, 1);
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
