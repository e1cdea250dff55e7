// SPDX-License-Identifier: (GPL-2.0 OR BSD-2-Clause)
/* A full window as features read it, whichever way it was kept. */
#ifndef GM_VIEW_H
#define GM_VIEW_H

#include "classifier/core/spread.h"

/* Up is from the LAN, down to the LAN: a gateway knows it, whichever side sent first. */
enum way { WAY_UP, WAY_DOWN, WAY_BOTH };
#define WAYS 2

/*
 * An interval is between a packet and the one before it in its own direction, and is of the window
 * that the later one is in. Both: the values of both directions together.
 */
struct view {
	struct spread length[WAYS + 1]; /* bytes of IP packets */
	struct spread interval[WAYS + 1]; /* us */
	__u64 swings; /* sum of the differences of a packet's length to the two before it */
};

SHARED void view_join(struct view *view)
{
	spread_join(&view->length[WAY_BOTH], &view->length[WAY_UP], &view->length[WAY_DOWN]);
	spread_join(&view->interval[WAY_BOTH], &view->interval[WAY_UP], &view->interval[WAY_DOWN]);
}

SHARED __u32 view_difference(__u32 a, __u32 b)
{
	return a > b ? a - b : b - a;
}

/* 1000 times one sum over another; 0 where there is no other. */
SHARED __s32 view_ratio(__u64 above, __u64 below)
{
	return below ? (__s32)(above * 1000 / below) : 0;
}

#endif
