// SPDX-License-Identifier: Apache-2.0
/* Addresses of nodes: nothing is looked up by name, so that no gateway waits for DNS. */
#include "node/place.h"
#include "node/order.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

/* Takes the port off the end, and the brackets. An address with more colons than one has none. */
static const char *split(char *text)
{
	char *colon = strrchr(text, ':'), *bracket = strchr(text, ']');

	if (*text == '[' && bracket) {
		memmove(text, text + 1, strlen(text));
		bracket[-1] = '\0';
		return bracket[0] == ':' ? bracket + 1 : ORDER_PORT;
	}
	if (!colon || strchr(text, ':') != colon)
		return ORDER_PORT;
	*colon = '\0';
	return colon + 1;
}

int place_read(struct sockaddr_storage *address, const char *text, size_t length,
	       struct fault *fault)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *known = NULL;
	char copy[PLACE_MOST + 1];
	const char *port;

	if (length > PLACE_MOST)
		length = PLACE_MOST;
	memcpy(copy, text, length);
	copy[length] = '\0';
	port = split(copy);
	if (getaddrinfo(copy, port, &hints, &known) || !known)
		return fault_set(fault, -EINVAL, NULL, "such as 192.0.2.1 or [2001:db8::1]:4739",
				 "no address: %.*s", (int)length, text);
	memcpy(address, known->ai_addr, known->ai_addrlen);
	length = known->ai_addrlen;
	freeaddrinfo(known);
	return (int)length;
}
