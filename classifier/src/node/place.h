// SPDX-License-Identifier: Apache-2.0
/* Addresses of nodes, as a command line names them. */
#ifndef GM_NODE_PLACE_H
#define GM_NODE_PLACE_H

#include "talk/fault.h"

#include <sys/socket.h>

#define PLACE_MOST 64

/*
 * ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT, numbers alone. The length of the address, or -EINVAL with
 * the fault filled.
 */
int place_read(struct sockaddr_storage *address, const char *text, size_t length,
	       struct fault *fault);

#endif
