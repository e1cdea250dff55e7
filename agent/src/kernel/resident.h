// SPDX-License-Identifier: Apache-2.0
/*
 * The memory that this process holds, mapped rings included, by /proc/self/statm (proc_pid_statm(5)).
 * Its peak by getrusage(2) would be that of what was before exec(2), too.
 */
#ifndef GM_RESIDENT_H
#define GM_RESIDENT_H

#include <stdint.h>

/* A descriptor that resident_bytes() reads, also in the sandbox; -1 where there is none. */
int resident_open(void);

/* Bytes in memory now; 0 where it is not known. */
uint64_t resident_bytes(int fd);

#endif
