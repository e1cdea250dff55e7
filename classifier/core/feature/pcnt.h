// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* pcnt: packets of each direction, and 1000 times those up over those down. */
#ifndef GM_FEATURE_PCNT_H
#define GM_FEATURE_PCNT_H

#include "classifier/core/view.h"

#define PCNT_NAMES { "pcnt", 0, { "fpckts", "bpckts", "ratio" } }

SHARED struct measure pcnt_measure(__u32 statistic, __u32 way)
{
	(void)way;
	if (statistic < 2)
		return measure(LENGTH + statistic, STATISTIC_COUNT);
	return measure(LENGTH, STATISTIC_OWN);
}

SHARED __s32 pcnt_own(const struct view *view, __u32 statistic)
{
	(void)statistic;
	return view_ratio(view->of[LENGTH + WAY_UP].count, view->of[LENGTH + WAY_DOWN].count);
}

#endif
