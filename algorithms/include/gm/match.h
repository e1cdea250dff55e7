/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pattern matching: which of a set of patterns occur in each of many records (payloads).
 *
 * An engine is built from a pattern set and scans records into a result. All engines give the same
 * result; they differ in speed and in memory.
 */
#ifndef GM_MATCH_H
#define GM_MATCH_H

#include <stddef.h>
#include <stdint.h>

struct gm_patterns;
struct gm_records;
struct gm_result;

enum gm_match_status {
	GM_MATCH_OK = 0,
	GM_MATCH_MEMORY = -1, /* the system has no more */
	GM_MATCH_LIMIT = -2, /* a bound was reached: gm_match_error says which */
	GM_MATCH_INPUT =
		-3, /* the engine does not take these patterns, or a file is no such thing */
};

/* What an engine may use. 0 stands for the default. */
struct gm_match_bounds {
	uint32_t max_states; /* of an automaton, 65 535 */
	uint64_t max_bytes; /* of its tables while they are built, 256 MiB */
	uint32_t diameter; /* of D2FA's trees, unbounded */
	uint32_t cache_bytes; /* of the lazy DFA, 2 MiB */
	uint32_t portable; /* 1: no processor's own instructions */
};

struct gm_match_error {
	const char *reason; /* NULL if there is none */
	uint32_t line; /* of the pattern, 0 if it is the whole set */
	uint64_t reached; /* the count at which a bound stopped the build */
};

/* A count that an engine reports: states, transitions, bytes. */
struct gm_counter {
	const char *name;
	uint64_t value;
};

enum { GM_COUNTERS = 24 };

struct gm_counters {
	struct gm_counter counters[GM_COUNTERS];
	uint32_t count;
};

/* Adds a counter; what is beyond GM_COUNTERS is left out. */
static inline void gm_counters_add(struct gm_counters *counters, const char *name, uint64_t value)
{
	if (counters->count < GM_COUNTERS) {
		counters->counters[counters->count].name = name;
		counters->counters[counters->count++].value = value;
	}
}

struct gm_engine {
	const char *name;
	const char *help;
	/* NULL and *error if it cannot be built within the bounds. */
	void *(*build)(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
		       struct gm_match_error *error);
	/* Appends each record's pattern ids to the result; GM_MATCH_OK or GM_MATCH_MEMORY. */
	int (*scan)(void *engine, const struct gm_records *records, struct gm_result *result);
	void (*count)(const void *engine, struct gm_counters *counters);
	uint64_t (*bytes)(const void *engine); /* of the tables that a scan reads */
	void (*free)(void *engine);
};

#endif
