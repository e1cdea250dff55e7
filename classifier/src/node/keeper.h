// SPDX-License-Identifier: Apache-2.0
/*
 * The one process of an action node that may change rules. It hears no network: it takes words of a
 * fixed length from the process that does, which has no rights, checks them, and has nft(8) apply
 * them. When that process has gone, however it went, it takes the table away.
 */
#ifndef GM_NODE_KEEPER_H
#define GM_NODE_KEEPER_H

#include "node/order.h"

#include <stdint.h>

/* Elements that a set has room for (sets.c), and orders that one transaction may hold. */
#define KEEPER_ORDERS 8192

enum keeper_what { KEEPER_ORDER, KEEPER_APPLY, KEEPER_RENEW };

/* What is asked of it. APPLY and RENEW are answered by 0 or -errno; -EIO: nft refused. */
struct keeper_word {
	uint8_t what;
	struct order order;
	char name[ORDER_NAME_MOST]; /* of its class */
};

struct keeper_options {
	uint32_t mark, mask;
	uint32_t elements; /* of each set */
};

/* Starts it, before anything foreign is read. A descriptor to it, or -errno. */
int keeper_start(const struct keeper_options *options);

#endif
