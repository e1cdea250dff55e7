// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* For functions and types that the agent and the programs in the kernel have in common. */
#ifndef GM_SHARED_H
#define GM_SHARED_H

#ifdef __bpf__
#include "kernel.h"
#define SHARED INLINE
#else
#include <linux/types.h>
#define SHARED static inline /* a small agent has it once */
#endif

#endif
