// SPDX-License-Identifier: Apache-2.0
/* Peers by their addresses. */
#include "frame/peers.h"
#include "frame/address.h"

#include <errno.h>
#include <string.h>

int peers_parse(struct peers *peers, int family, const struct texts *given, struct fault *fault)
{
	peers->count = 0;
	if (given->count > PEERS_MOST)
		return fault_set(fault, -EINVAL, "peers", "leave it out to take any peer",
				 "%zu peers; 256 are the most", given->count);
	for (size_t i = 0; i < given->count; i++) {
		int error =
			address_parse(family, given->item[i], peers->address[i], "peers", fault);

		if (error)
			return error;
	}
	peers->count = (unsigned int)given->count;
	return 0;
}

bool peers_have(const struct peers *peers, const struct sockaddr_storage *peer)
{
	const void *address = &((const struct sockaddr_in6 *)peer)->sin6_addr;
	size_t bytes = 16;

	if (peer->ss_family == AF_INET) {
		address = &((const struct sockaddr_in *)peer)->sin_addr;
		bytes = 4;
	}
	for (unsigned int i = 0; i < peers->count; i++)
		if (memcmp(peers->address[i], address, bytes) == 0)
			return true;
	return !peers->count;
}
