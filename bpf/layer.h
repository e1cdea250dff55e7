// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* The names of the layers that layers.h does not read; each has a number in it. */
#ifndef GM_LAYER_H
#define GM_LAYER_H

#define LAYERS_MOST 8 /* tags, labels and sessions in a frame; extension headers in a packet */

enum layer {
	LAYER_ALL, /* all was read */
	LAYER_SHORT, /* the frame ends inside a header */
	LAYER_LINK, /* number: the link type of a capture */
	LAYER_ETHERNET, /* an Ethernet type */
	LAYER_LLC, /* DSAP and SSAP */
	LAYER_SNAP, /* an organisation's own protocol: the last 16 bits of its identifier */
	LAYER_PPPOE, /* the code of a frame that bears no packet of the session */
	LAYER_SESSION, /* in a PPPoE session, a PPP protocol */
	LAYER_PPP, /* on a line of PPP, a PPP protocol */
	LAYER_MPLS,
	LAYER_VERSION, /* of IP */
	LAYER_PROTOCOL, /* of IPv4 */
	LAYER_NEXT, /* IPv6's last next header */
	LAYER_DEEP, /* more than LAYERS_MOST of them */
};

#endif
