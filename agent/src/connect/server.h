// SPDX-License-Identifier: Apache-2.0
/*
 * The end that accepts TCP connections and sends back what comes. It keeps nothing for a connection
 * but its descriptor. One thread.
 */
#ifndef GM_SERVER_H
#define GM_SERVER_H

#include "connect/crew.h"
#include "frame/peers.h"
#include "talk/fault.h"
#include "talk/talk.h"

#include <stdbool.h>
#include <stdint.h>

#define SERVER_PORTS 256

struct server_options {
	int family;
	uint8_t own[16];
	struct peers peers; /* whose connections are taken */
	uint16_t port; /* the first one */
	unsigned int ports;
	unsigned int connections; /* at once; then no more are taken */
	bool ends; /* a connection after its first answer */
};

struct server {
	struct server_options options; /* connections: of this process */
	int epoll; /* -1: not open */
	int listener[SERVER_PORTS]; /* the same sockets in every process */
	unsigned int listeners; /* open */
	bool last; /* when it has its connections, no other process takes more */
	bool passed; /* the next process accepts now */
	bool whole; /* all was counted */
	uint64_t memory_bytes;
	uint64_t accepted, echoed_bytes;
	uint64_t strangers; /* connections of other hosts, which were closed at once */
	unsigned int open, most;
	const char *full; /* why no more were taken; NULL */
	uint64_t cpu_ns, cpu_accept_ns; /* whole; when the last one had been taken */
};

/* Listens. 0 or -errno. */
int server_open(struct server *server, struct fault *fault);

/* Accepts until it has its connections, echoes until stdin ends. */
void server_run(struct server *server, struct talk *talk, struct crew *crew);

void server_close(struct server *server);

#endif
