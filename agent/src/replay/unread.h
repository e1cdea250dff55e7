// SPDX-License-Identifier: Apache-2.0
/* What of a capture is not read, named for what it is, and counted by its name. */
#ifndef GM_UNREAD_H
#define GM_UNREAD_H

#include "replay/packet.h"

#include <stddef.h>
#include <stdint.h>

#define UNREAD_NAME_MOST 64
#define UNREAD_KINDS 16 /* further ones are counted together */

/* The name of a layer that is not read: "PPPoE session, protocol 0xC021", "ARP"; lasting or in text. */
const char *unread_name(char text[UNREAD_NAME_MOST], uint8_t layer, uint16_t number);

struct unread {
	struct {
		uint64_t packets;
		uint16_t number;
		uint8_t layer;
	} kind[UNREAD_KINDS];
	size_t kinds;
	uint64_t others; /* packets of further kinds */
};

/* Counts a packet by the layer of it that is not read. */
void unread_add(struct unread *unread, const struct packet_view *view);

#endif
