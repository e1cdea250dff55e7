// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* iatbd: intervals in us within each direction: f is up, b is down. */
#ifndef GM_FEATURE_IATBD_H
#define GM_FEATURE_IATBD_H

#include "classifier/core/view.h"

#define IATBD_NAMES                                                                                \
	{ "iatbd", 0, { "fmin", "fmean", "fmax", "fstdev", "bmin", "bmean", "bmax", "bstdev" } }
#define IATBD_EACH 4

SHARED struct measure iatbd_measure(__u32 statistic, __u32 way)
{
	(void)way;
	if (statistic < IATBD_EACH)
		return measure(INTERVAL + WAY_UP, statistic);
	return measure(INTERVAL + WAY_DOWN, statistic - IATBD_EACH);
}

SHARED __s32 iatbd_own(const struct view *view, __u32 statistic)
{
	(void)view;
	(void)statistic;
	return 0;
}

#endif
