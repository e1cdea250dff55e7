// SPDX-License-Identifier: Apache-2.0
/*
 * What makes flows distinct on the wire: a client's port towards a far port. Each flow gets its
 * own port, or the next one that is free.
 */
#ifndef GM_WIRES_H
#define GM_WIRES_H

#include "replay/numbers.h"

#include <stdint.h>

/* A flow as it is on the wire; all far ends are one address. */
struct wire {
	uint32_t client; /* number of the LAN side's address */
	uint16_t lan_port, far_port;
	uint8_t protocol;
};

struct wires {
	struct numbers taken;
	uint16_t *next; /* of each that is taken: a port with none free between the two */
	uint64_t looks; /* at ports, for all flows so far */
};

/* Room for so many flows. 0 or -ENOMEM; wires_close() in either case. */
int wires_open(struct wires *wires, uint32_t most);
void wires_close(struct wires *wires);

/* Takes a wire, at its own port or the next free one. 0; -EADDRINUSE: none is; -ENOMEM. */
int wires_take(struct wires *wires, struct wire *wire);

#endif
