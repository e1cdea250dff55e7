// SPDX-License-Identifier: Apache-2.0
/*
 * Connections that have not shown the key yet. Whoever can reach the port can open them, so they have
 * places of their own, and none of them waits for an end of another's: an address that has its share
 * loses its oldest one to its newest, and where all places are taken the address with the most does.
 */
#ifndef GM_NODE_GUESTS_H
#define GM_NODE_GUESTS_H

#include "node/order.h"

#include <stdbool.h>
#include <sys/socket.h>

#define GUESTS 128
#define GUESTS_OF_ADDRESS 64
#define GUEST_S 5 /* until its first right message */

struct guest {
	int fd; /* -1: none */
	uint64_t number; /* the older, the lower */
	uint64_t since_s;
	uint8_t address[16];
	uint8_t nonce[ORDER_NONCE_BYTES];
	size_t got;
	uint8_t bytes[ORDER_MOST];
};

struct guests {
	struct guest guest[GUESTS];
	uint64_t came;
};

void guests_open(struct guests *guests);

/* Takes a new connection, which it owns from now on; an older one is closed where there is no room. */
struct guest *guests_take(struct guests *guests, int fd, const struct sockaddr_storage *from,
			  uint64_t now_s);

/* Closes it. */
void guest_end(struct guest *guest);

enum heard { HEARD_PART, HEARD_MESSAGE, HEARD_END, HEARD_NONSENSE };

/*
 * Reads on at a message, of which `got` bytes are there: nothing beyond it. MESSAGE: it is whole, by
 * its own length, and no more than that is known of it.
 */
enum heard message_hear(int fd, uint8_t bytes[ORDER_MOST], size_t *got);

#endif
