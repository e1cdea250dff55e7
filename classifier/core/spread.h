// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/*
 * How a quantity is spread over the packets of a window, and its statistics as integers: 32 bits,
 * rounded down, 0 where there was none. The standard deviation divides by the count in every mode.
 *
 * Nothing overflows: at most WINDOW_MOST values, a length below 2^16 bytes, an interval below 2^23
 * us (8.4 s; a longer one counts as this).
 */
#ifndef GM_SPREAD_H
#define GM_SPREAD_H

#include "bpf/shared.h"

#define WINDOW_MOST 32
#define LENGTH_MOST 0xffff
#define INTERVAL_MOST 0x7fffff

struct spread {
	__u64 sum, squares;
	__u32 count, least, most, unused;
};

/* In the order of the names that features give them. */
enum statistic { STATISTIC_MIN, STATISTIC_MEAN, STATISTIC_MAX, STATISTIC_STDEV, STATISTIC_SUM };

SHARED void spread_begin(struct spread *spread)
{
	spread->sum = spread->squares = 0;
	spread->count = spread->most = spread->unused = 0;
	spread->least = ~0u;
}

SHARED void spread_add(struct spread *spread, __u32 value)
{
	spread->sum += value;
	spread->squares += (__u64)value * value;
	spread->count++;
	if (value < spread->least)
		spread->least = value;
	if (value > spread->most)
		spread->most = value;
}

SHARED void spread_join(struct spread *joined, const struct spread *a, const struct spread *b)
{
	joined->sum = a->sum + b->sum;
	joined->squares = a->squares + b->squares;
	joined->count = a->count + b->count;
	joined->least = a->least < b->least ? a->least : b->least;
	joined->most = a->most > b->most ? a->most : b->most;
	joined->unused = 0;
}

/* The integer square root, a bit at a time; of less than 2^48. */
SHARED __u32 spread_root(__u64 square)
{
	__u64 root = 0;

#pragma clang loop unroll(disable)
	for (int bit = 23; bit >= 0; bit--) {
		__u64 next = root | 1ull << bit;

		if (next * next <= square)
			root = next;
	}
	return (__u32)root;
}

SHARED __u32 spread_stdev(const struct spread *spread)
{
	__u64 count = spread->count;

	return spread_root((count * spread->squares - spread->sum * spread->sum) / (count * count));
}

SHARED __s32 spread_value(const struct spread *spread, __u32 statistic)
{
	if (!spread->count)
		return 0;
	switch (statistic) {
	case STATISTIC_MIN:
		return (__s32)spread->least;
	case STATISTIC_MEAN:
		return (__s32)(spread->sum / spread->count);
	case STATISTIC_MAX:
		return (__s32)spread->most;
	case STATISTIC_STDEV:
		return (__s32)spread_stdev(spread);
	default:
		return (__s32)spread->sum;
	}
}

#endif
