// SPDX-License-Identifier: Apache-2.0
/*
 * Which addresses and ports connection number i has. The own address changes
 * first, then the own port, then the peer's: so each tuple is used once before any repeats.
 */
#ifndef GM_TUPLE_H
#define GM_TUPLE_H

#include <stdint.h>
#include <sys/socket.h>

struct tuples {
	int family;
	uint8_t own[16], peer[16]; /* the first own address; the peer's only address */
	unsigned int own_count; /* consecutive addresses */
	uint16_t own_port, peer_port; /* the first of each */
	unsigned int own_ports, peer_ports;
};

/* How many different connections there can be. */
uint64_t tuples_count(const struct tuples *tuples);

/* Both ends of a connection; numbers from tuples_count() on begin again. Returns their length. */
socklen_t tuples_pick(const struct tuples *tuples, uint64_t number, struct sockaddr_storage *own,
		      struct sockaddr_storage *peer);

/* The address so many after this one: its last 32 bits, 4 or 16 bytes of it. */
void address_after(int family, uint8_t *bytes, uint32_t steps);

#endif
