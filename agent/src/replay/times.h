// SPDX-License-Identifier: Apache-2.0
/* Times that are damaged, though they can be: one would put all others behind the trial's end. */
#ifndef GM_TIMES_H
#define GM_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts the times, and returns the median; 0 of none. */
uint64_t times_median(uint64_t *time_ns, size_t count);

/* Whether a time is farther from the median than any capture lasts: more than a year. */
bool times_is_far(uint64_t time_ns, uint64_t median_ns);

#endif
