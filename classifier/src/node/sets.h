// SPDX-License-Identifier: Apache-2.0
/*
 * What an action node does with orders: sets of nftables whose elements have timeouts, and a rule at
 * the forward hook that marks their flows, in both directions. Elements end by themselves.
 */
#ifndef GM_NODE_SETS_H
#define GM_NODE_SETS_H

#include "node/held.h"
#include "node/order.h"

/* Who has no key may fill half alone, so as to lock out nobody who has one. */
#define SETS_FLOWS HELD_FLOWS
#define SETS_FLOWS_UNKEYED (SETS_FLOWS / 2)

struct sets {
	int keeper; /* the process that may change them (node/keeper.h) */
	struct held held; /* flows that are in the sets, or will be once applied */
	uint64_t added, removed;
	uint64_t untaken; /* orders for a flow too many, or for one that another has */
	uint64_t waiting; /* orders that were not applied yet */
};

/*
 * Starts the keeper: before anything foreign is read. 0, or -errno with the fault filled;
 * sets_close() in either case. sets_renew() comes next.
 */
int sets_open(struct sets *sets, uint32_t mark, uint32_t mask, struct fault *fault);

/*
 * Makes the table, empty, in the place of one that was left or has gone; what was taken and not
 * applied is lost. 0, or -errno with the fault filled.
 */
int sets_renew(struct sets *sets, struct fault *fault);

/* The fault that the keeper has gone, as its descriptor tells who polls it: -EPIPE. */
int sets_lost(struct fault *fault);

/* Takes the table away. */
void sets_close(struct sets *sets);

/*
 * name: of the order's class, which `nft list set` shows; NULL: not known. by: whether who sent it
 * has the key; who has none neither renews nor ends what one with the key ordered. While as many
 * flows of both families together are held as he may have, an order to prefer another flow is left
 * aside and counted. A flow's place is free again up to 3 s after its lifetime.
 */
void sets_take(struct sets *sets, const struct order *order, const char *name, enum held_by by);

/*
 * Applies what was taken, in one transaction. 0 or -errno with the fault filled: then the table may
 * lack it, or be gone, and sets_renew() has to come next.
 */
int sets_apply(struct sets *sets, struct fault *fault);

#endif
