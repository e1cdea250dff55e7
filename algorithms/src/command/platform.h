/* SPDX-License-Identifier: Apache-2.0 */
/* The measures of the command `platform`: each takes its words and prints a record. */
#ifndef GM_COMMAND_PLATFORM_H
#define GM_COMMAND_PLATFORM_H

#include "program/ask.h"

#include <stdint.h>

int platform_stream(struct ask *ask);
int platform_latency(struct ask *ask);
int platform_clock(struct ask *ask);
int platform_bandwidth(struct ask *ask);
int platform_cores(struct ask *ask);

/* Bytes of a processor's last cache by /sys; 0 where it does not say. */
uint64_t platform_last_cache(void);

/* Begins the record of a measure. */
void platform_record(const char *measure);

/* MHz by a chain of dependent operations, the best of `windows` windows of 10 ms. */
double platform_mhz(uint32_t windows);

#endif
