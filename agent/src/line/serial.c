// SPDX-License-Identifier: Apache-2.0
/* Time on a serial line. */
#include "line/serial.h"
#include "time/clock.h"

#define CELL_PAYLOAD 48u
#define CELL_BYTES 53u

uint64_t serial_bytes(const struct serial *serial, uint32_t bytes)
{
	int64_t carried = (int64_t)bytes + serial->overhead_bytes;

	if (carried <= 0)
		return 0;
	if (!serial->atm)
		return (uint64_t)carried;
	return ((uint64_t)carried + CELL_PAYLOAD - 1) / CELL_PAYLOAD * CELL_BYTES;
}

/* At most 8e9 x 2^17 bytes: far from 2^64. */
static uint64_t due(const struct serial *serial, uint32_t bytes)
{
	return serial_bytes(serial, bytes) * 8 * NS_PER_S + serial->rest;
}

static uint64_t takes(const struct serial *serial, uint64_t starts_ns, uint32_t bytes,
		      uint64_t *rest)
{
	uint64_t whole = due(serial, bytes);

	if (serial->course)
		return course_takes(serial->course, starts_ns, whole, rest);
	if (!serial->rate_bps)
		return 0;
	*rest = whole % serial->rate_bps;
	return whole / serial->rate_bps;
}

uint64_t serial_next(const struct serial *serial, uint64_t starts_ns, uint32_t bytes)
{
	uint64_t rest;

	return takes(serial, starts_ns, bytes, &rest);
}

uint64_t serial_take(struct serial *serial, uint64_t starts_ns, uint32_t bytes)
{
	return takes(serial, starts_ns, bytes, &serial->rest);
}
