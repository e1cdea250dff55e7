// SPDX-License-Identifier: Apache-2.0
/* From a captured frame to the TCP or UDP packet in it, or why it is left out. */
#ifndef GM_PACKET_H
#define GM_PACKET_H

#include "replay/capture.h"

#include <stdbool.h>
#include <stdint.h>

#define PROTOCOL_TCP 6
#define PROTOCOL_UDP 17
#define LINK_RAW 101 /* of a capture's packets: no link layer */

enum packet_verdict {
	PACKET_TAKEN,
	PACKET_NOT_IP,
	PACKET_FAMILY, /* of the other IP version */
	PACKET_FRAGMENT,
	PACKET_PROTOCOL, /* neither TCP nor UDP behind IP's headers */
	PACKET_DAMAGED, /* its lengths contradict each other, or its ports were not captured */
	PACKET_TOO_LONG, /* several that the capturing machine had merged, or larger than the link's */
	PACKET_SIDE, /* of a flow whose LAN side the split cannot tell */
	PACKET_TIME, /* it bears no time, none that there is, or one years away */
	PACKET_ROUTED, /* a routing header of IPv6 gives it another destination */
	PACKET_VERDICTS,
};

struct packet_view {
	int family; /* 4 or 6 */
	uint8_t protocol;
	const uint8_t *ip; /* the packet, inside the capture's memory */
	uint32_t captured, length; /* bytes at hand; bytes of the packet as IP has them */
	uint32_t header_bytes; /* of the IP header, with options and extension headers */
	uint32_t payload_at, payload_end; /* from .ip on: behind TCP's or UDP's header; its end */
	const uint8_t *source, *destination; /* addresses: 4 or 16 bytes */
	uint16_t source_port, destination_port;
	bool answer; /* TCP's SYN and ACK: the sender is the server */
	bool begins; /* of PACKET_FRAGMENT: the first, its ports and payload are read */
	bool routed;
	/* Of PACKET_NOT_IP and PACKET_PROTOCOL: the layer that is not read (replay/unread.h). */
	uint8_t unread;
	uint16_t number;
};

enum packet_verdict packet_read(struct packet_view *view, const struct capture_packet *packet);

#endif
