/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Single instructions that this processor has, by CPUID. The compiler's __builtin_cpu_supports() is
 * not used: with some C libraries it says no to all.
 */
#ifndef GM_COMMON_PROCESSOR_H
#define GM_COMMON_PROCESSOR_H

int gm_has_popcnt(void);
int gm_has_sse42(void);

#endif
