// SPDX-License-Identifier: Apache-2.0
/* From a captured frame to the TCP or UDP packet in it, or why it is left out. */
#ifndef GM_PACKET_H
#define GM_PACKET_H

#include "replay/capture.h"

#include <stdbool.h>
#include <stdint.h>

#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17

enum packet_verdict {
	PACKET_TAKEN,
	PACKET_NOT_IP,
	PACKET_FAMILY, /* of the other IP version */
	PACKET_FRAGMENT,
	PACKET_PROTOCOL, /* neither TCP nor UDP right behind the IP header */
	PACKET_DAMAGED, /* its lengths contradict each other, or its ports were not captured */
	PACKET_TOO_LONG, /* several that the capturing machine had merged, or larger than the link's */
	PACKET_SIDE, /* of a flow whose LAN side the split cannot tell */
	PACKET_VERDICTS,
	PACKET_LINK, /* of a link type that is not read: the whole capture is at fault */
};

extern const char *const packet_words[PACKET_VERDICTS]; /* PACKET_TAKEN's is NULL */

struct packet_view {
	int family; /* 4 or 6 */
	uint8_t protocol;
	const uint8_t *ip; /* the packet, inside the capture's memory */
	uint32_t captured, length; /* bytes at hand; bytes of the packet as IP has them */
	uint32_t header_bytes; /* of the IP header */
	const uint8_t *source, *destination; /* addresses: 4 or 16 bytes */
	uint16_t source_port, destination_port;
	bool answer; /* TCP's SYN and ACK: the sender is the server */
};

enum packet_verdict packet_read(struct packet_view *view, const struct capture_packet *packet);

#endif
