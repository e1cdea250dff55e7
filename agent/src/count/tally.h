// SPDX-License-Identifier: Apache-2.0
/*
 * The counts of a sink, made by count/account.h packet by packet in this process, or by
 * bpf/sink.bpf.c in the kernel. The report needs nothing else.
 */
#ifndef GM_TALLY_H
#define GM_TALLY_H

#include "bpf/bound.h"
#include "bpf/counters.h"
#include "count/histogram.h"
#include "count/spans.h"
#include "talk/fault.h"

#include <stdbool.h>
#include <stdint.h>

/* Of each counter of a report, whether it is counted packet by packet or read in another way. */
#define TALLY_FIELD(name) uint64_t name;
#define TALLY_SIGNED(name) int64_t name;

struct tally_flow {
	FLOW_COUNTERS(TALLY_FIELD, TALLY_SIGNED)
};

/* Of the packets received in a bin's time. */
struct tally_bin {
	uint64_t packets;
	uint64_t delay_sum_ns, delay_max_ns; /* a negative delay counts as 0 */
};

struct tally_corrupt {
	CORRUPT_BY_COUNTERS(TALLY_FIELD, TALLY_FIELD)
};

/* Of a receive queue: when packets came, and the times in between in which none came. */
struct tally_queue {
	uint64_t first_ns, last_ns; /* 0: none came */
	struct spans silences;
};

#define TALLY_LATE_BUCKETS 32 /* powers of two of how far a packet is behind the highest number */

struct tally_options {
	uint8_t run;
	uint8_t mark; /* DSCP that packets were sent with */
	bool keyed; /* headers are tagged: they have no run, and 39 bits of time */
	uint32_t flows;
	struct bound bound; /* of the numbers of a flow */
	uint64_t bin_ns;
	uint32_t bins;
	uint64_t clock_ns; /* our clock less the sender's, modulo 2^40: taken off each delay */
	bool delay; /* keep delays */
	bool delay_by_flow;
	uint32_t ledger; /* numbers of each flow that are kept; 0: none */
	uint64_t seed; /* of the order in which the sender's flows take turns */
	uint64_t silence_ns; /* a longer time without an arrival is kept */
	uint32_t queues; /* receive queues that are told apart */
};

struct tally {
	struct tally_options options;
	SINK_COUNTERS(TALLY_FIELD, TALLY_FIELD)
	struct tally_corrupt corrupt_by;
	uint64_t late[TALLY_LATE_BUCKETS];
	uint64_t delay_negative;
	struct histogram gap, delay;
	struct tally_flow *flow;
	struct histogram *flow_delay; /* NULL unless delay_by_flow */
	uint64_t t0_ns; /* where bin 0 begins */
	struct tally_bin *bin;
	struct tally_queue *queue;
	/* Whoever counts owns it: tally_words() for each flow, of number n bit n % 64 of word n / 64. */
	const uint64_t *ledger;
};

/* Of each flow in the ledger. */
static inline uint32_t tally_words(const struct tally_options *options)
{
	return options->ledger / 64 + (options->ledger % 64 != 0);
}

/* Takes and touches all memory, so that a measured loop has no page faults. */
int tally_open(struct tally *tally, const struct tally_options *options, struct fault *fault);

/* Also after a failed open, and of one that is all zero. */
void tally_close(struct tally *tally);

/* Zeroed and touched memory for so many of so many bytes, or NULL. */
void *tally_take(size_t count, size_t bytes);

#endif
