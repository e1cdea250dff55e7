/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/nat.h"

#include "gm/checksum.h"

enum { TTL = 8, IP_CHECKSUM = 10, SOURCE = 12, DESTINATION = 16 };
enum { TCP_CHECKSUM = 16, UDP_CHECKSUM = 6 };

static inline void store16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static inline void store32(uint8_t *bytes, uint32_t value)
{
	store16(bytes, (uint16_t)(value >> 16));
	store16(bytes + 2, (uint16_t)value);
}

struct gm_flow_key gm_nat_key(const uint8_t *frame, const struct gm_packet *packet)
{
	const uint8_t *header = frame + packet->network;
	struct gm_flow_key key = {
		gm_packet_u32(header + SOURCE),
		gm_packet_u32(header + DESTINATION),
		(uint32_t)packet->source_port << 16 | packet->destination_port,
		packet->protocol,
	};

	return key;
}

/* UDP's checksum 0 says that there is none, and one that comes out as 0 is sent as 0xffff. */
static void transport(uint8_t *header, const struct gm_packet *packet, uint32_t old, uint32_t now,
		      const uint16_t ports[2])
{
	int udp = packet->protocol == GM_PACKET_UDP;
	uint8_t *at = header + (udp ? UDP_CHECKSUM : TCP_CHECKSUM);
	uint16_t checksum = gm_packet_u16(at);

	if (udp && !checksum)
		return;
	checksum = gm_checksum_update32(checksum, old, now);
	checksum = gm_checksum_update(checksum, ports[0], ports[1]);
	store16(at, udp && !checksum ? 0xffff : checksum);
}

enum gm_nat_fault gm_nat_rewrite(uint8_t *frame, const struct gm_packet *packet,
				 enum gm_nat_side side, uint32_t address, uint16_t port)
{
	uint8_t *header = frame + packet->network;
	uint8_t *where = header + (side == GM_NAT_SOURCE ? SOURCE : DESTINATION);
	uint8_t *where_port = frame + packet->transport + (side == GM_NAT_SOURCE ? 0 : 2);
	uint32_t old = gm_packet_u32(where);
	uint16_t life = gm_packet_u16(header + TTL);
	uint16_t checksum = gm_packet_u16(header + IP_CHECKSUM);
	uint16_t ports[2];

	if (packet->version != 4 || !packet->transport)
		return GM_NAT_NO_PORTS;
	if (header[TTL] <= 1)
		return GM_NAT_TTL;
	ports[0] = gm_packet_u16(where_port);
	ports[1] = port;
	checksum = gm_checksum_update32(checksum, old, address);
	store16(header + IP_CHECKSUM, gm_checksum_update(checksum, life, (uint16_t)(life - 0x100)));
	header[TTL]--;
	transport(frame + packet->transport, packet, old, address, ports);
	store32(where, address);
	store16(where_port, port);
	return GM_NAT_OK;
}
