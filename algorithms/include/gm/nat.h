/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Network address and port translation of IPv4 (RFC 3022): a frame's source or destination is
 * rewritten, the TTL is one less, and both checksums follow incrementally (RFC 1624).
 */
#ifndef GM_NAT_H
#define GM_NAT_H

#include "gm/flow_table.h"
#include "gm/packet.h"

#include <stdint.h>

enum gm_nat_side { GM_NAT_SOURCE, GM_NAT_DESTINATION };

enum gm_nat_fault {
	GM_NAT_OK,
	GM_NAT_NO_PORTS, /* not IPv4 with TCP or UDP in its first fragment */
	GM_NAT_TTL, /* it may go no further: the gateway has to answer by ICMP */
};

/* The key of a packet's flow; the packet is IPv4. */
struct gm_flow_key gm_nat_key(const uint8_t *frame, const struct gm_packet *packet);

/* Rewrites one side of a frame that gm_packet_parse read. A fault leaves the frame as it was. */
enum gm_nat_fault gm_nat_rewrite(uint8_t *frame, const struct gm_packet *packet,
				 enum gm_nat_side side, uint32_t address, uint16_t port);

#endif
