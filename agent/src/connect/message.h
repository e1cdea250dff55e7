// SPDX-License-Identifier: Apache-2.0
/*
 * What goes over a connection and comes back: 16 bytes, big-endian.
 *
 *	 0      1      2          4                8                  16
 *	 | 0xC7 | 0x74 | reserved | connection u32 | time of sending u64 |
 *
 * The time is CLOCK_MONOTONIC of who sent it first, so an echo needs no memory to be timed.
 */
#ifndef GM_MESSAGE_H
#define GM_MESSAGE_H

#include "frame/bytes.h"

#include <stdbool.h>

#define MESSAGE_BYTES 16
#define MESSAGE_MARK 0xC774

static inline void message_write(uint8_t message[MESSAGE_BYTES], uint32_t connection,
				 uint64_t time_ns)
{
	be16_store(message, MESSAGE_MARK);
	be16_store(message + 2, 0);
	be32_store(message + 4, connection);
	be32_store(message + 8, (uint32_t)(time_ns >> 32));
	be32_store(message + 12, (uint32_t)time_ns);
}

/* Whether it is a message of this connection; if so, when it was sent. */
static inline bool message_read(const uint8_t message[MESSAGE_BYTES], uint32_t connection,
				uint64_t *time_ns)
{
	*time_ns = (uint64_t)be32_load(message + 8) << 32 | be32_load(message + 12);
	return be16_load(message) == MESSAGE_MARK && be32_load(message + 4) == connection;
}

#endif
