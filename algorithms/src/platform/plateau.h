/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of memory in latencies by size: where the latency hardly grows with the size. */
#ifndef GM_PLATFORM_PLATEAU_H
#define GM_PLATFORM_PLATEAU_H

#include <stddef.h>
#include <stdint.h>

enum { GM_PLATEAU_POINTS = 64 };

struct gm_plateaus {
	double bytes[GM_PLATEAU_POINTS], ns[GM_PLATEAU_POINTS]; /* ascending sizes */
	double level_bytes[GM_PLATEAU_POINTS]; /* the largest size of each level */
	double level_ns[GM_PLATEAU_POINTS]; /* the least latency of each level */
	size_t count, levels;
};

/* Adds a measured size, larger than the last; what is too many is left out. */
void gm_plateaus_add(struct gm_plateaus *plateaus, uint64_t bytes, double ns);

/*
 * Finds the levels, where two sizes are an octave: at least three sizes in a row, from each of which
 * log2(ns) grows by less than 0.1 over the next octave. Levels that differ by less than a tenth are
 * one.
 */
void gm_plateaus_find(struct gm_plateaus *plateaus);

#endif
