// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A full window as features read it, whichever way it was kept. */
#ifndef GM_VIEW_H
#define GM_VIEW_H

#include "classifier/core/spread.h"

/* Up is from the LAN, down to the LAN: a gateway knows it, whichever side sent first. */
enum way { WAY_UP, WAY_DOWN, WAY_BOTH };
#define WAYS 2

/*
 * What is measured, of each direction and of both together. An interval is between a packet and the
 * one before it in its own direction, and is of the window that the later one is in.
 */
#define LENGTH 0 /* + enum way */
#define INTERVAL 3
#define QUANTITIES 6

struct view {
	struct spread of[QUANTITIES]; /* lengths of IP packets in bytes, intervals in us */
	__u64 swings; /* sum of the differences of a packet's length to the two before it */
	volatile __u32
		cursor; /* where sliding_view() is: of memory, the kernel's verifier knows nothing */
	__u32 before[2];
	__u32 service,
		listed; /* a port of the flow is a service's, in two senses (feature/port.h) */
	__u32 counts[4]; /* of packets by enum hint (feature/header.h) */
	__u32 header; /* enum header */
	__u32 terminal; /* TCP at a terminal's port, which no tree decides */
};

/* Which number of a view: a statistic of a quantity. */
struct measure {
	__u8 quantity, statistic;
};

SHARED struct measure measure(__u32 quantity, __u32 statistic)
{
	struct measure measured = { (__u8)quantity, (__u8)statistic };

	return measured;
}

SHARED void view_join(struct view *view)
{
	spread_join(&view->of[LENGTH + WAY_BOTH], &view->of[LENGTH + WAY_UP],
		    &view->of[LENGTH + WAY_DOWN]);
	spread_join(&view->of[INTERVAL + WAY_BOTH], &view->of[INTERVAL + WAY_UP],
		    &view->of[INTERVAL + WAY_DOWN]);
}

/* How far a length is from one before, which is 0 where there is none. Without a branch, as above. */
WRAPS SHARED __u32 view_swing(__u32 length, __u32 before)
{
	__u32 is_less = spread_less(length, before);

	return (((length - before) ^ is_less) - is_less) & spread_less(0, before);
}

/* 1000 times one sum over another; 0 where there is no other. */
SHARED __s32 view_ratio(__u64 above, __u64 below)
{
	return below ? (__s32)(above * 1000 / below) : 0;
}

#endif
