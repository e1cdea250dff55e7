// SPDX-License-Identifier: Apache-2.0
/*
 * The accounts of a sink: every arrival goes into exactly one of unique, duplicated, stale
 * (together: received), foreign or corrupt. All memory is taken and touched before the first
 * arrival.
 */
#ifndef GM_ACCOUNT_H
#define GM_ACCOUNT_H

#include "count/tally.h"
#include "count/window.h"
#include "frame/parse.h"
#include "talk/fault.h"

#include <stdint.h>

struct account {
	struct tally tally;
	struct window *window; /* one for each flow */
	uint64_t *ledger; /* tally.ledger; NULL: none */
	uint32_t bin; /* the latest arrival's */
	uint64_t bin_end_ns;
};

int account_open(struct account *account, const struct tally_options *options, struct fault *fault);
void account_close(struct account *account);

/* The bins begin at t0_ns. */
void account_start(struct account *account, uint64_t t0_ns);

void account_add(struct account *account, const struct arrival *arrival);

#endif
