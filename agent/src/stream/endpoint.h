// SPDX-License-Identifier: Apache-2.0
/* The two ends of streams: sockets with their options, connecting, listening and accepting. */
#ifndef GM_ENDPOINT_H
#define GM_ENDPOINT_H

#include "frame/address.h"
#include "stream/streams.h"
#include "talk/fault.h"

#define ENDPOINT_NAME 16 /* TCP_CA_NAME_MAX (include/net/tcp.h) */

/* A socket with every option of the request, bound to port. The descriptor, or -errno. */
int endpoint_open(const struct streams *streams, uint16_t port, struct fault *fault);

/* Fills the socket address of one end; link-local ones are of the device. Returns its length. */
socklen_t endpoint_address(const struct streams *streams, struct sockaddr_storage *storage,
			   const uint8_t *bytes, uint16_t port);

/* What is in force: of the first socket, or of the listener. */
int endpoint_buffer(const struct streams *streams);
const char *endpoint_congestion(const struct streams *streams, char name[ENDPOINT_NAME]);

/* Connects every stream, all at the same time. */
int endpoint_connect(struct streams *streams, struct fault *fault);

int endpoint_listen(struct streams *streams, struct fault *fault);

/*
 * Accepts while start has not come, and then the rest; reads start but does not answer it. Streams
 * are numbered by the peer's port: as the peer numbers them, unless a gateway changes ports.
 */
int endpoint_accept(struct streams *streams, struct fault *fault);

#endif
