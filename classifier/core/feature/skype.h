// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * skype: the mean length; how much lengths swing, as 1000 times the sum of each packet's differences
 * to the two before it over twice the bytes; and 1000 times the bytes of the lesser direction over
 * those of the other.
 */
#ifndef GM_FEATURE_SKYPE_H
#define GM_FEATURE_SKYPE_H

#include "classifier/core/view.h"

#define SKYPE_NAMES { "skype", 0, { "mean", "atpd", "ratio" } }

SHARED struct measure skype_measure(__u32 statistic, __u32 way)
{
	(void)way;
	if (statistic == 0)
		return measure(LENGTH + WAY_BOTH, STATISTIC_MEAN);
	return measure(LENGTH, STATISTIC_OWN);
}

SHARED __s32 skype_own(const struct view *view, __u32 statistic)
{
	__u64 up = view->of[LENGTH + WAY_UP].sum, down = view->of[LENGTH + WAY_DOWN].sum;

	if (statistic == 1)
		return view_ratio(view->swings, 2 * (up + down));
	return up < down ? view_ratio(up, down) : view_ratio(down, up);
}

#endif
