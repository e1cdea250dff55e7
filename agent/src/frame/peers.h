// SPDX-License-Identifier: Apache-2.0
/* The hosts whose connections a listener takes. */
#ifndef GM_PEERS_H
#define GM_PEERS_H

#include "talk/fault.h"
#include "talk/request.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define PEERS_MOST 256

struct peers {
	unsigned int count; /* 0: every host is one */
	uint8_t address[PEERS_MOST][16]; /* the first 4 bytes of IPv4's */
};

/* Reads the addresses of a request's `peers`, all of one family. -EINVAL with the fault filled. */
int peers_parse(struct peers *peers, int family, const struct texts *given, struct fault *fault);

/* Whether an accepted connection is of one of them. */
bool peers_have(const struct peers *peers, const struct sockaddr_storage *peer);

#endif
