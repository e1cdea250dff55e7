/* SPDX-License-Identifier: Apache-2.0 */
/* The headers of a frame with a VLAN tag. */
#include "gm/packet.h"

#include <stdio.h>

int main(void)
{
	uint8_t frame[64] = { 0 };
	struct gm_packet packet;

	frame[12] = 0x81; /* a tag of IEEE 802.1Q */
	frame[16] = 0x08; /* IPv4 */
	frame[18] = 0x45;
	frame[21] = 46; /* bytes */
	frame[27] = GM_PACKET_UDP;
	frame[41] = 53; /* destination port */
	frame[43] = 26; /* bytes of UDP */
	if (gm_packet_parse(&packet, frame, sizeof(frame)) != GM_PACKET_OK)
		return 1;
	printf("%d tag, IPv%d, UDP at %u to port %u\n", packet.tags, packet.version,
	       (unsigned)packet.transport, packet.destination_port);
	return 0;
}

/* Prints:
 * 1 tag, IPv4, UDP at 38 to port 53
 */
