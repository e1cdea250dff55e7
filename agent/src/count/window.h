// SPDX-License-Identifier: Apache-2.0
/*
 * Which numbers of a flow have come: new, late or a second time. A bitmap of the last 4096 numbers
 * turns around with the highest one seen, as the anti-replay window of RFC 6479 does, but is exact
 * to the number instead of to the word.
 *
 * A number that is far ahead may be a stray: it is new, but the window follows it only where the
 * flow's next number is far ahead as well (as in RFC 3550, appendix A.1).
 */
#ifndef GM_WINDOW_H
#define GM_WINDOW_H

#include <stdint.h>

#define WINDOW_NUMBERS 4096
#define WINDOW_LEAP 960 /* more than so far ahead; the same as at XDP (bpf/sink.h) */

enum window_verdict {
	WINDOW_AHEAD, /* higher than all before */
	WINDOW_LATE, /* lower, for the first time: reordered (RFC 4737 section 3.3) */
	WINDOW_DUPLICATE, /* seen before */
	WINDOW_STALE, /* too low: the window has passed */
};

struct window {
	int64_t highest; /* -1: none; counts on where the 32-bit sequence wraps */
	int64_t leap; /* the last number, if it was far ahead; -1: it was not */
	uint64_t seen[WINDOW_NUMBERS /
		      64]; /* bit n % 4096: highest - 4096 < n <= highest has come */
};

void window_begin(struct window *window);

enum window_verdict window_add(struct window *window, uint32_t sequence);

#endif
