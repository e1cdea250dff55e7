/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a platform's memory and clock are measured by. Each does one pass; the caller takes the time.
 *
 * The four kernels over arrays are those of STREAM (J. McCalpin, 1995), but this is a variant: what
 * it gives is "based on a variant of the STREAM benchmark code", not STREAM's results.
 */
#ifndef GM_PLATFORM_H
#define GM_PLATFORM_H

#include <stdint.h>

enum gm_stream {
	GM_STREAM_COPY, /* c = a: 16 bytes an element */
	GM_STREAM_SCALE, /* b = 3 c: 16 */
	GM_STREAM_ADD, /* c = a + b: 24 */
	GM_STREAM_TRIAD, /* a = b + 3 c: 24 */
};

struct gm_stream_arrays {
	double *a, *b, *c;
	uint32_t count; /* elements of each */
};

/* a = 1, b = 2, c = 0, then a doubled: all pages are written. */
void gm_stream_init(const struct gm_stream_arrays *arrays);
void gm_stream_pass(const struct gm_stream_arrays *arrays, enum gm_stream kernel);

/* The largest relative error after `rounds` rounds of copy, scale, add, triad. */
double gm_stream_error(const struct gm_stream_arrays *arrays, uint32_t rounds);

/*
 * One random cycle over `count` cells (S. Sattolo, 1986), `stride` words apart: the first word of
 * each cell is the index in `words` of the next one's. Every load depends on the last.
 */
void gm_chase_init(uint32_t *words, uint32_t count, uint32_t stride, uint64_t seed);

/* Where `loads` loads from word `at` end: print it, or the compiler leaves them out. */
uint32_t gm_chase(const uint32_t *words, uint32_t at, uint32_t loads);

enum { GM_CLOCK_STEPS = 16 };

/*
 * `rounds` times GM_CLOCK_STEPS steps x = (x + y) ^ z: two operations of one cycle each, of which
 * none can begin before the last one ended. MHz = 2 steps / seconds / 10^6.
 */
uint32_t gm_clock_chain(uint32_t x, uint32_t y, uint32_t z, uint32_t rounds);

/* Copies `count` words: STREAM's copy for what has no floating-point unit, another benchmark. */
void gm_copy_u32(const uint32_t *from, uint32_t *to, uint32_t count);

/* Words to be copied, all different, and how many of a copy are not these. */
void gm_copy_u32_init(uint32_t *from, uint32_t count);
uint32_t gm_copy_u32_errors(const uint32_t *to, uint32_t count);

/* The sum of `count` words: how fast memory is read. */
uint32_t gm_read_sum(const uint32_t *words, uint32_t count);

#endif
