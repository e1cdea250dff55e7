/* SPDX-License-Identifier: Apache-2.0 */
/* A frame is parsed and leaves with the gateway's address: both checksums stay right. */
#include "gm/nat.h"
#include "gm/checksum.h"

#include <stdio.h>

int main(void)
{
	uint8_t frame[60] = { 0 };
	struct gm_packet packet;
	uint16_t checksum;

	frame[12] = 0x08; /* IPv4 */
	frame[14] = 0x45;
	frame[17] = 46; /* bytes */
	frame[22] = 64; /* TTL */
	frame[23] = GM_PACKET_UDP;
	checksum = gm_checksum(frame + 14, 20);
	frame[24] = (uint8_t)(checksum >> 8);
	frame[25] = (uint8_t)checksum;
	if (gm_packet_parse(&packet, frame, sizeof(frame)) != GM_PACKET_OK ||
	    gm_nat_rewrite(frame, &packet, GM_NAT_SOURCE, 0xcb007101, 1024) != GM_NAT_OK)
		return 1;
	printf("from %u.%u.%u.%u, TTL %u, sum %u\n", frame[26], frame[27], frame[28], frame[29],
	       frame[22], gm_checksum(frame + 14, 20));
	return 0;
}

/* Prints:
 * from 203.0.113.1, TTL 63, sum 0
 */
