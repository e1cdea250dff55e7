// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* A flow's key, a packet of it, the decision that is kept of it, and what is done with a packet. */
#ifndef GM_FLOW_H
#define GM_FLOW_H

#include "classifier/core/bucket.h"
#include "classifier/core/window.h"

#define CLASSIFY_TCP 6
#define CLASSIFY_UDP 17

/* Both directions of a flow have one key: the LAN's end, then the other. As on the wire. */
struct flow_key {
	__u32 lan[4], wan[4]; /* IPv4: the first word */
	__u16 lan_port, wan_port;
	__u8 protocol, family; /* family: 4 or 6 */
	__u16 zero;
};

struct seen {
	struct flow_key key;
	struct moment moment;
	struct head head; /* of its payload, where the model asks for it */
};

/* Of a host of the LAN. */
struct host {
	struct bucket flows; /* that are new */
	struct bucket preferred[2]; /* bytes of its preferred flows: by the tree, by headers */
	__u8 beyond[2]; /* they take more than they may together */
	__u8 unused[6];
};

struct decision {
	struct bucket guard; /* its last_us is when the flow's last packet came */
	__u8 class, confidence;
	__u8 demoted; /* it takes more than its class may */
	__u8 waiting; /* TCP, until a gap */
	__u8 guarded; /* it was preferred once, and its guard counts since then */
	__u8 by_header; /* headers gave it its class */
	__u8 unused[2];
};

enum verdict {
	VERDICT_NONE, /* nothing is known of the flow, or nothing is done for its class */
	VERDICT_PROBATION, /* a new flow that may come to be preferred */
	VERDICT_CLASS, /* the class's action */
	VERDICT_WAITING,
	VERDICT_DEMOTED,
};

#define CLASS_NONE 0xff

struct outcome {
	__u32 mark;
	__u8 class, confidence, verdict;
	__u8 fresh; /* with this packet a class was given to the flow */
};

#endif
