// SPDX-License-Identifier: Apache-2.0
/*
 * What an action node does with orders: sets of nftables whose elements have timeouts, and a rule at
 * the forward hook that marks their flows, in both directions. Elements end by themselves.
 */
#ifndef GM_NODE_SETS_H
#define GM_NODE_SETS_H

#include "node/held.h"
#include "node/order.h"

#include <stdio.h>

/* Who has no key may fill half alone, so as to lock out nobody who has one. */
#define SETS_FLOWS HELD_FLOWS
#define SETS_FLOWS_UNKEYED (SETS_FLOWS / 2)

struct sets {
	char *text; /* for nft, of the orders that were not applied yet */
	size_t bytes;
	FILE *stream;
	uint32_t mark, mask;
	struct held held; /* flows that are in the sets, or will be by the text */
	uint64_t added, removed;
	uint64_t untaken; /* orders for a flow too many */
	uint64_t waiting; /* orders in the text */
};

/*
 * Makes the table, in the place of one that was left. 0, or -errno with the fault filled: then
 * nothing is left to close.
 */
int sets_open(struct sets *sets, uint32_t mark, uint32_t mask, struct fault *fault);

/* Makes the table anew and empty; what was taken and not applied is lost. The same results. */
int sets_renew(struct sets *sets, struct fault *fault);

/* Takes the table away. */
void sets_close(struct sets *sets);

/*
 * name: of the order's class, which `nft list set` shows; NULL: not known. While `most` flows of
 * both families together (up to SETS_FLOWS) are held, an order to prefer another flow is left aside
 * and counted; one for a flow that is held is always taken. A flow's place is free again up to 3 s
 * after its lifetime.
 */
void sets_take(struct sets *sets, const struct order *order, const char *name, uint32_t most);

/*
 * Applies what was taken, in one transaction. 0 or -errno with the fault filled: then the table may
 * lack it, or be gone, and sets_renew() has to come next.
 */
int sets_apply(struct sets *sets, struct fault *fault);

#endif
