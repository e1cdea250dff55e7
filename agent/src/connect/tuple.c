// SPDX-License-Identifier: Apache-2.0
/* Addresses and ports by number. */
#include "connect/tuple.h"
#include "frame/address.h"
#include "frame/bytes.h"

#include <string.h>

uint64_t tuples_count(const struct tuples *tuples)
{
	return (uint64_t)tuples->own_count * tuples->own_ports * tuples->peer_ports;
}

void address_after(int family, uint8_t *bytes, uint32_t steps)
{
	uint8_t *last = bytes + (family == 4 ? 0 : 12);

	be32_store(last, be32_load(last) + steps);
}

/*
 * Address k begins at the peer's port k: a gateway that masquerades all of them can then keep their
 * own ports, which differ by the peer's.
 */
socklen_t tuples_pick(const struct tuples *tuples, uint64_t number, struct sockaddr_storage *own,
		      struct sockaddr_storage *peer)
{
	unsigned int address = (unsigned int)(number % tuples->own_count);
	uint64_t rest = number / tuples->own_count;
	unsigned int port = (unsigned int)(rest % tuples->own_ports);
	unsigned int to = (unsigned int)((address + rest / tuples->own_ports) % tuples->peer_ports);
	uint8_t bytes[16];

	memcpy(bytes, tuples->own, sizeof(bytes));
	address_after(tuples->family, bytes, address);
	address_fill(own, tuples->family, bytes, (uint16_t)(tuples->own_port + port));
	return address_fill(peer, tuples->family, tuples->peer, (uint16_t)(tuples->peer_port + to));
}
