// SPDX-License-Identifier: Apache-2.0
/*
 * How long a frame takes on a serial line: 8 (L + overhead) / rate, with whole ATM cells in place of
 * bytes where there are some (53 bytes for each 48 begun; ITU-T I.361, I.363.5).
 *
 * The rest of each division is carried on through a busy period, so its end is the exact one rounded
 * down, however many frames it has.
 */
#ifndef GM_SERIAL_H
#define GM_SERIAL_H

#include "line/course.h"

#include <stdbool.h>
#include <stdint.h>

#define SERIAL_RATE_MOST_BPS 100000000000LL
#define SERIAL_OVERHEAD_MOST 256 /* bytes, of either sign */

struct serial {
	uint64_t rate_bps; /* 0: no time at all */
	struct course *course; /* NULL: one rate at all times */
	int32_t overhead_bytes;
	bool atm;
	uint64_t rest; /* in 1e-9 bits, carried on */
};

/* Bytes on the line of a frame of so many without its check sequence. */
uint64_t serial_bytes(const struct serial *serial, uint32_t bytes);

/* A busy period begins: nothing is carried on. */
static inline void serial_begin(struct serial *serial)
{
	serial->rest = 0;
}

/* The time of a busy period's next frame that begins then, in ns, without taking it. */
uint64_t serial_next(const struct serial *serial, uint64_t starts_ns, uint32_t bytes);

/* The same, taken: its rest is carried on. */
uint64_t serial_take(struct serial *serial, uint64_t starts_ns, uint32_t bytes);

#endif
