// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * WRAPS marks a function whose unsigned sums are meant modulo a power of two: serial numbers, clocks
 * of few bits, hashes. clang's integer sanitizer reports all others.
 */
#ifndef GM_WRAPS_H
#define GM_WRAPS_H

#ifdef __clang__
#define WRAPS __attribute__((no_sanitize("unsigned-integer-overflow")))
#else
#define WRAPS
#endif

#endif
