// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* plenbd: lengths of IP packets in bytes, of each direction: f is up, b is down. */
#ifndef GM_FEATURE_PLENBD_H
#define GM_FEATURE_PLENBD_H

#include "classifier/core/view.h"

#define PLENBD_NAMES                                                                               \
	{ "plenbd",                                                                                \
	  0,                                                                                       \
	  { "fmin", "fmean", "fmax", "fstdev", "fsum", "bmin", "bmean", "bmax", "bstdev",          \
	    "bsum" } }
#define PLENBD_EACH 5

SHARED struct measure plenbd_measure(__u32 statistic, __u32 way)
{
	(void)way;
	if (statistic < PLENBD_EACH)
		return measure(LENGTH + WAY_UP, statistic);
	return measure(LENGTH + WAY_DOWN, statistic - PLENBD_EACH);
}

SHARED __s32 plenbd_own(const struct view *view, __u32 statistic)
{
	(void)view;
	(void)statistic;
	return 0;
}

#endif
