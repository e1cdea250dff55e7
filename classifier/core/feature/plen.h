// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* plen: lengths of IP packets in bytes, of one direction or of both. */
#ifndef GM_FEATURE_PLEN_H
#define GM_FEATURE_PLEN_H

#include "classifier/core/view.h"

#define PLEN_NAMES { "plen", 1, { "min", "mean", "max", "stdev", "sum" } }

SHARED struct measure plen_measure(__u32 statistic, __u32 way)
{
	return measure(LENGTH + way, statistic);
}

SHARED __s32 plen_own(const struct view *view, __u32 statistic)
{
	(void)view;
	(void)statistic;
	return 0;
}

#endif
