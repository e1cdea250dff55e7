// SPDX-License-Identifier: Apache-2.0
/* The times of a trace's packets. */
#ifndef GM_TIMES_H
#define GM_TIMES_H

#include "replay/trace.h"

#define TIMES_APART_NS (366ull * 86400 * 1000000000) /* no capture lasts so long */

/*
 * Leaves out packets whose time is more than TIMES_APART_NS from the median: one damaged time would
 * put all others behind the trial's end. 0 or -ENOMEM.
 */
int times_check(struct trace *trace);

/* The earliest; UINT64_MAX where no packet has one. */
uint64_t times_first(const struct trace *trace);

#endif
