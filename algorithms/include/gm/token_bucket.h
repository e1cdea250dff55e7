/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A token bucket (RFC 2697's committed one), exact in whole numbers: its unit is a byte times a
 * nanosecond a second, so that neither filling nor spending divides. A bucket has 32 bytes.
 */
#ifndef GM_TOKEN_BUCKET_H
#define GM_TOKEN_BUCKET_H

#include <stdint.h>

#define GM_TOKEN_BUCKET_BYTE UINT64_C(1000000000) /* units of credit */
#define GM_TOKEN_BUCKET_BURST_MOST UINT32_MAX /* bytes */

struct gm_token_bucket {
	uint64_t credit; /* in units of 10^-9 byte */
	uint64_t filled_ns; /* when it was last filled */
	uint64_t full_ns; /* after so long an empty bucket is full */
	uint32_t rate; /* bytes a second */
	uint32_t burst; /* bytes that it holds */
};

/* A bucket that is full at `now_ns`; rate > 0. */
static inline void gm_token_bucket_init(struct gm_token_bucket *bucket, uint32_t rate,
					uint32_t burst, uint64_t now_ns)
{
	uint64_t room = burst * GM_TOKEN_BUCKET_BYTE;

	bucket->credit = room;
	bucket->filled_ns = now_ns;
	bucket->full_ns = room / rate + (room % rate != 0);
	bucket->rate = rate;
	bucket->burst = burst;
}

/*
 * Whether a packet of `bytes` conforms at `now_ns`, which never goes back: 1, and its tokens are
 * spent; or 0, and the bucket keeps what it has.
 */
static inline int gm_token_bucket_take(struct gm_token_bucket *bucket, uint32_t bytes,
				       uint64_t now_ns)
{
	uint64_t room = bucket->burst * GM_TOKEN_BUCKET_BYTE;
	uint64_t cost = bytes * GM_TOKEN_BUCKET_BYTE;
	uint64_t waited = now_ns - bucket->filled_ns;

	/* Bounded by the time to fill it: room and one more filling are below 2^63. */
	if (waited > bucket->full_ns)
		waited = bucket->full_ns;
	bucket->credit += waited * bucket->rate;
	if (bucket->credit > room)
		bucket->credit = room;
	bucket->filled_ns = now_ns;
	if (bucket->credit < cost)
		return 0;
	bucket->credit -= cost;
	return 1;
}

#endif
