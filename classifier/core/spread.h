// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
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
#include "bpf/wraps.h"

#define WINDOW_MOST 32
#define LENGTH_MOST 0xffff
#define INTERVAL_MOST 0x7fffff

struct spread {
	__u64 sum, squares;
	__u32 count, least, most, unused;
};

/* The first five are in the order of the names that features give them. */
enum statistic {
	STATISTIC_MIN,
	STATISTIC_MEAN,
	STATISTIC_MAX,
	STATISTIC_STDEV,
	STATISTIC_SUM,
	STATISTIC_COUNT,
	STATISTIC_OWN, /* a feature computes it itself */
};

SHARED void spread_begin(struct spread *spread)
{
	spread->sum = spread->squares = 0;
	spread->count = spread->most = spread->unused = 0;
	spread->least = ~0u;
}

/*
 * All bits set where a is less than b, else none. Without a branch: in a loop, the kernel's verifier
 * would follow each packet both ways. A compiler that saw what it is would put the branch back.
 */
WRAPS SHARED __u32 spread_less(__u32 a, __u32 b)
{
	__u64 difference = (__u64)a - b;

	__asm__("" : "+r"(difference));
	return 0 - (__u32)(difference >> 63);
}

SHARED void spread_add(struct spread *spread, __u32 value)
{
	__u32 is_least = spread_less(value, spread->least);
	__u32 is_most = spread_less(spread->most, value);

	spread->sum += value;
	spread->squares += (__u64)value * value;
	spread->count++;
	spread->least = (value & is_least) | (spread->least & ~is_least);
	spread->most = (value & is_most) | (spread->most & ~is_most);
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

/*
 * The integer square root, a bit at a time; of less than 2^48. Without a branch, as the kernel's
 * verifier would follow each bit both ways: the highest bit of a difference says which is larger.
 */
WRAPS SHARED __u32 spread_root(__u64 square)
{
	__u64 root = 0;

#pragma clang loop unroll(disable)
	for (int bit = 23; bit >= 0; bit--) {
		__u64 next = root | 1ull << bit;

		root |= (next * next - square - 1) >> 63 << bit;
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
	case STATISTIC_SUM:
		return (__s32)spread->sum;
	default:
		return (__s32)spread->count;
	}
}

#endif
