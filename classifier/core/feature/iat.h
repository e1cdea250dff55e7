// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* iat: intervals in us between packets of a direction, of one direction or of both. */
#ifndef GM_FEATURE_IAT_H
#define GM_FEATURE_IAT_H

#include "classifier/core/view.h"

#define IAT_NAMES { "iat", 1, { "min", "mean", "max", "stdev" } }

SHARED struct measure iat_measure(__u32 statistic, __u32 way)
{
	return measure(INTERVAL + way, statistic);
}

SHARED __s32 iat_own(const struct view *view, __u32 statistic)
{
	(void)view;
	(void)statistic;
	return 0;
}

#endif
