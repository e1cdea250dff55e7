// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A leaky bucket: what flowed in, less what a rate took out since. */
#ifndef GM_BUCKET_H
#define GM_BUCKET_H

#include "bpf/shared.h"

struct bucket {
	__u64 last_us;
	__u64 level; /* in millionths, so that what leaks in a microsecond is a whole number */
};

#define BUCKET_WHOLE 1000000ull
#define BUCKET_ELAPSED_MOST (1ull << 32) /* us: with a rate of 32 bits there is no overflow */

SHARED void bucket_leak(struct bucket *bucket, __u64 time_us, __u32 rate)
{
	__u64 elapsed = time_us > bucket->last_us ? time_us - bucket->last_us : 0, out;

	if (elapsed) {
		if (elapsed > BUCKET_ELAPSED_MOST - 1)
			elapsed = BUCKET_ELAPSED_MOST - 1;
		out = elapsed * rate;
		bucket->level -= out < bucket->level ? out : bucket->level;
		bucket->last_us = time_us;
	}
}

/* Takes an amount in if there is room for it. */
SHARED int bucket_take(struct bucket *bucket, __u64 time_us, __u32 rate, __u32 room, __u32 amount)
{
	bucket_leak(bucket, time_us, rate);
	if (bucket->level + amount * BUCKET_WHOLE > room * BUCKET_WHOLE)
		return 0;
	bucket->level += amount * BUCKET_WHOLE;
	return 1;
}

/* Takes an amount in, up to twice the room, which a guard does not wait longer for. */
SHARED void bucket_fill(struct bucket *bucket, __u64 time_us, __u32 rate, __u32 room, __u32 amount)
{
	__u64 most = 2 * (room * BUCKET_WHOLE);

	bucket_leak(bucket, time_us, rate);
	bucket->level += amount * BUCKET_WHOLE;
	if (bucket->level > most)
		bucket->level = most;
}

#endif
