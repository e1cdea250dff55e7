// SPDX-License-Identifier: Apache-2.0
/*
 * Which end of a captured flow is on the LAN side, as tcpprep(1) decides it for a whole capture:
 *
 *   auto     the only private address of the two; else as client
 *   client   the client: the sender of its first packet, or the receiver of a SYN and ACK
 *   private  the only private address of the two; else the flow is left out
 *   CIDR     the only address in this network; else the flow is left out
 *
 * An end that is multicast or broadcast is never the LAN side.
 */
#ifndef GM_SPLIT_H
#define GM_SPLIT_H

#include "replay/packet.h"
#include "talk/fault.h"

struct split {
	enum { SPLIT_AUTO, SPLIT_CLIENT, SPLIT_PRIVATE, SPLIT_NETWORK } rule;
	int family; /* of the network */
	uint8_t network[16];
	unsigned int bits;
};

/* Reads the request's word. 0 or -EINVAL with the fault filled. */
int split_parse(struct split *split, const char *word, struct fault *fault);

/*
 * By a flow's first packet: 1: its sender is the LAN side; 0: its receiver; -1: it cannot be told.
 */
int split_first(const struct split *split, const struct packet_view *view);

#endif
