// SPDX-License-Identifier: Apache-2.0
/*
 * A sink's books: every arrival goes into exactly one of unique, duplicated, stale (together:
 * received), foreign or corrupt. All memory is taken and touched before the first arrival.
 */
#ifndef GM_ACCOUNT_H
#define GM_ACCOUNT_H

#include "lib/fault.h"
#include "lib/histogram.h"
#include "lib/parse.h"
#include "lib/window.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct account_flow {
	uint64_t unique, duplicated, reordered;
	uint64_t source_port; /* of the first packet, as it arrived */
	struct window window;
};

struct account_options {
	uint8_t run;
	uint32_t flows;
	uint64_t bin_ns;
	uint32_t bins;
	bool delay; /* keep delays */
	bool delay_by_flow;
};

struct account {
	struct account_options options;
	uint64_t received, unique, duplicated, reordered, stale, foreign, corrupt;
	uint64_t bytes; /* frame bytes with FCS of unique */
	uint64_t first_ns, last_ns; /* arrival; 0: none */
	uint64_t gaps_over_1ms;
	uint64_t delay_negative;
	struct histogram gap, delay;
	struct account_flow *flow;
	struct histogram *flow_delay; /* NULL unless delay_by_flow */
	uint64_t t0_ns; /* where bin 0 begins */
	uint32_t bin; /* the latest arrival's */
	uint64_t bin_end_ns;
	uint32_t *rate; /* packets received, by bin */
};

int account_open(struct account *account, const struct account_options *options,
		 struct fault *fault);
void account_close(struct account *account);

/* The bins begin at t0_ns. */
void account_start(struct account *account, uint64_t t0_ns);

void account_add(struct account *account, const struct arrival *arrival);

#endif
