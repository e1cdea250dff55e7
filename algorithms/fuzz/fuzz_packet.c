/* SPDX-License-Identifier: Apache-2.0 */
/* Any frame is parsed within its bounds, and translated with its IP checksum kept right. */
#include "fuzz/fuzz.h"
#include "gm/checksum.h"
#include "gm/nat.h"
#include "gm/packet.h"

#include <string.h>

static void translate(const struct gm_packet *packet, const uint8_t *data, size_t size)
{
	uint8_t *frame = malloc(size);
	uint8_t *header;
	uint16_t checksum;
	uint32_t bytes;

	REQUIRE(frame);
	memcpy(frame, data, size);
	header = frame + packet->network;
	bytes = 4U * (header[0] & 15);
	header[10] = 0;
	header[11] = 0;
	checksum = gm_checksum(header, bytes);
	header[10] = (uint8_t)(checksum >> 8);
	header[11] = (uint8_t)checksum;
	if (gm_nat_rewrite(frame, packet, GM_NAT_SOURCE, 0x01020304, 99) == GM_NAT_OK)
		REQUIRE(gm_checksum(header, bytes) == 0);
	free(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gm_packet packet;

	if (gm_packet_parse(&packet, data, (uint32_t)size) != GM_PACKET_OK)
		return 0;
	REQUIRE(packet.end <= size && packet.network < packet.end);
	REQUIRE(!packet.transport || packet.transport + 8 <= packet.end);
	if (packet.version == 4)
		translate(&packet, data, size);
	return 0;
}
