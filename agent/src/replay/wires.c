// SPDX-License-Identifier: Apache-2.0
/*
 * The next free port of many alike flows, without a look at each taken one: a forest of disjoint
 * sets whose roots are free ports (Tarjan and van Leeuwen 1984; paths are split on the way).
 */
#include "replay/wires.h"
#include "frame/bytes.h"

#include <errno.h>
#include <stdlib.h>

#define PORT_FIRST 1024u /* where the search for another port begins */
#define PORT_LAST 65535u

struct wire_key {
	uint8_t client[4], lan_port[2], far_port[2], protocol;
};

int wires_open(struct wires *wires, uint32_t most)
{
	*wires = (struct wires){ .next = calloc((size_t)most + 1, sizeof(*wires->next)) };
	numbers_open(&wires->taken, sizeof(struct wire_key));
	return wires->next ? 0 : -ENOMEM;
}

void wires_close(struct wires *wires)
{
	numbers_close(&wires->taken);
	free(wires->next);
	*wires = (struct wires){ 0 };
}

static uint16_t after(uint16_t port)
{
	return (uint16_t)(port < PORT_FIRST || port == PORT_LAST ? PORT_FIRST : port + 1u);
}

/* The number of a wire. 1: it was free and is taken now; 0: it was taken; -ENOMEM. */
static int look(struct wires *wires, const struct wire *wire, uint32_t *number)
{
	struct wire_key key = { .protocol = wire->protocol };

	be32_store(key.client, wire->client);
	be16_store(key.lan_port, wire->lan_port);
	be16_store(key.far_port, wire->far_port);
	wires->looks++;
	return numbers_of(&wires->taken, &key, number);
}

int wires_take(struct wires *wires, struct wire *wire)
{
	uint16_t none = 0, *before = &none;

	/* Where all are taken the next ones lead round and round. */
	for (uint32_t looks = 0; looks <= PORT_LAST; looks++) {
		uint32_t number;
		int is_new = look(wires, wire, &number);

		if (is_new > 0)
			wires->next[number] = after(wire->lan_port);
		if (is_new)
			return is_new < 0 ? is_new : 0;
		*before = wires->next[number];
		before = &wires->next[number];
		wire->lan_port = wires->next[number];
	}
	return -EADDRINUSE;
}
