// SPDX-License-Identifier: Apache-2.0
/*
 * The CPUs that this machine may have, which are not all online: a per-CPU map has a value for each,
 * and a program's CPU is one of their numbers.
 */
#ifndef GM_CPUS_H
#define GM_CPUS_H

#include "talk/fault.h"

/*
 * One more than the highest number of a possible CPU: as many values as a per-CPU map holds for a
 * key, or more where numbers are missing. 0 or -errno with the fault filled.
 */
int cpus_possible(unsigned int *count, struct fault *fault);

/* The same of a list of CPUs as the kernel writes it, such as "0-3,8"; 0: it is none. */
unsigned int cpus_listed(const char *list);

#endif
