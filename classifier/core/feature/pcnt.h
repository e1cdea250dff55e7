// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* pcnt: packets of each direction, and 1000 times those up over those down. */
#ifndef GM_FEATURE_PCNT_H
#define GM_FEATURE_PCNT_H

#include "classifier/core/view.h"

#define PCNT_NAMES { "pcnt", 0, { "fpckts", "bpckts", "ratio" } }

SHARED __s32 pcnt_value(const struct view *view, __u32 statistic, __u32 way)
{
	__u32 up = view->length[WAY_UP].count, down = view->length[WAY_DOWN].count;

	(void)way;
	if (statistic == 0)
		return (__s32)up;
	return statistic == 1 ? (__s32)down : view_ratio(up, down);
}

#endif
