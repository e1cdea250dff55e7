// SPDX-License-Identifier: Apache-2.0
/*
 * A log-linear histogram of times: 32 buckets an octave, so that a bucket's lower bound is within
 * 3.2 % of each value in it. Values below 64 ns have a bucket each; the last one, from 67.6 s on,
 * takes everything above.
 */
#ifndef GM_HISTOGRAM_H
#define GM_HISTOGRAM_H

#include <stdint.h>

#define HISTOGRAM_BUCKETS 1024

struct histogram {
	uint64_t total;
	uint64_t most; /* the greatest value added, exact */
	uint64_t count[HISTOGRAM_BUCKETS];
};

static inline unsigned int histogram_bucket(uint64_t value)
{
	unsigned int shift, bucket;

	if (value < 32)
		return (unsigned int)value;
	if (value >> 36)
		return HISTOGRAM_BUCKETS - 1;
	shift = 58u - (unsigned int)__builtin_clzll(value);
	bucket = (shift << 5) + (unsigned int)(value >> shift);
	return bucket;
}

/* The smallest value of a bucket: the inverse of histogram_bucket(). */
static inline uint64_t histogram_low(unsigned int bucket)
{
	unsigned int shift = bucket < 64 ? 0 : (bucket >> 5) - 1;

	return (uint64_t)(bucket - (shift << 5)) << shift;
}

static inline void histogram_add(struct histogram *histogram, uint64_t value)
{
	histogram->count[histogram_bucket(value)]++;
	histogram->total++;
	if (value > histogram->most)
		histogram->most = value;
}

/* Lower bound of the bucket in which a share (0 to 1) of the values is reached; 0 if empty. */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

#endif
