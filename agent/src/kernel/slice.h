// SPDX-License-Identifier: Apache-2.0
/* How long a turn of this process on its CPU is. */
#ifndef GM_SLICE_H
#define GM_SLICE_H

/*
 * Asks for the shortest turns (.1 ms): a process that has little to do, but soon, gets no more of
 * the CPU by them, and gets it earlier (Linux 6.12, EEVDF; sched_setattr(2)). Where the kernel has
 * none, and outside the normal class, nothing changes.
 */
void slice_shorten(void);

#endif
