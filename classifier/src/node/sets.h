// SPDX-License-Identifier: Apache-2.0
/*
 * What an action node does with orders: sets of nftables whose elements have timeouts, and a rule at
 * the forward hook that marks their flows, in both directions. Elements end by themselves.
 */
#ifndef GM_NODE_SETS_H
#define GM_NODE_SETS_H

#include "node/order.h"

#include <stdio.h>

#define SETS_FLOWS 65536

struct sets {
	char *text; /* for nft, of the orders that were not applied yet */
	size_t bytes;
	FILE *stream;
	uint32_t mark, mask;
	uint64_t added, removed;
	uint64_t waiting; /* orders in the text */
};

/* Makes the table, in the place of one that was left. 0 or -errno with the fault filled. */
int sets_open(struct sets *sets, uint32_t mark, uint32_t mask, struct fault *fault);

/* Makes the table anew and empty; what was taken and not applied is lost. The same results. */
int sets_renew(struct sets *sets, struct fault *fault);

/* Takes the table away. */
void sets_close(struct sets *sets);

/* name: of the order's class, which `nft list set` shows; NULL: not known. */
void sets_take(struct sets *sets, const struct order *order, const char *name);

/*
 * Applies what was taken, in one transaction. 0 or -errno with the fault filled: then the table may
 * lack it, or be gone, and sets_renew() has to come next.
 */
int sets_apply(struct sets *sets, struct fault *fault);

#endif
