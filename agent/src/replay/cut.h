// SPDX-License-Identifier: Apache-2.0
/*
 * TCP segments that the capturing machine had merged (GRO), or had yet to cut (TSO), as the
 * segments that were on the wire. Their size is what the flow itself shows, by the end that sends:
 * the MSS that its SYNs agreed on (RFC 9293, section 3.7.1), else its largest whole segment.
 */
#ifndef GM_CUT_H
#define GM_CUT_H

#include "replay/packet.h"

#define CUT_MOST (512u << 10) /* bytes of what Linux merges (GSO_MAX_SIZE) */

/* What a flow shows; of its two ends, the one that sends. */
struct cut {
	uint32_t mss; /* of both SYNs the smaller; 0: none was seen */
	uint32_t whole[2]; /* payload of the largest whole segment */
};

/* Takes what a packet shows. packet_most: bytes of a whole one, at most. */
void cut_note(struct cut *cut, const struct packet_view *view, int sender, uint32_t packet_most);

/* Whether a packet that is too long can be cut into some of packet_most bytes. */
bool cut_can(const struct packet_view *view, uint32_t packet_most);

/* Payload bytes of a piece: `header` are those of its IP and TCP headers, `options` TCP's. */
uint32_t cut_bytes(const struct cut *cut, int sender, uint32_t header, uint32_t options,
		   uint32_t packet_most);

#endif
