// SPDX-License-Identifier: Apache-2.0
/*
 * The accounts of the other side's packets: which packet of the schedule a frame is; each counts
 * once. A frame that is none of them is foreign, a frame with a wrong checksum is corrupt.
 *
 * A frame bears its number modulo 2^16 (IPv6: 2^20) only. It counts as the nearest packet to the
 * highest number seen with the same protocol, length and ports. That is right as long as fewer than
 * half of that modulus of packets in a row are lost or overtaken.
 */
#ifndef GM_ARRIVE_H
#define GM_ARRIVE_H

#include "bpf/counters.h"
#include "count/bins.h"
#include "count/histogram.h"
#include "replay/frames.h"

#include <stdbool.h>
#include <stdint.h>

#define ARRIVE_COLUMNS_MAX 200000 /* at most so many arrivals are reported singly */

/* A frame as it came. */
struct arrived {
	const uint8_t *bytes;
	uint32_t length, captured; /* without FCS */
	bool checked; /* the kernel has checked the checksum of TCP or UDP */
	uint64_t time_ns;
};

struct arrive_flow {
	int64_t highest; /* number; -1: none */
	uint32_t unique;
	uint16_t port; /* the LAN side's as it arrived, after NAT; 0: none yet */
};

#define ARRIVE_FIELD(name) uint64_t name;

struct arrive {
	const struct trace *trace;
	const struct lab *lab;
	enum way way; /* of what arrives */
	REPLAY_COUNTERS(ARRIVE_FIELD, ARRIVE_FIELD)
	uint64_t t0_ns; /* of the schedule */
	struct histogram gap;
	struct histogram
		behind; /* arrival less due time: one-way delay and lateness of the sender */
	struct bins rate;
	struct arrive_flow *flow;
	int64_t highest; /* number; -1: none */
	uint64_t *seen; /* a bit for each number */
	uint32_t *number; /* in order of arrival; NULL where there are too many */
	uint64_t *time_ns;
};

int arrive_open(struct arrive *arrive, const struct trace *trace, const struct lab *lab,
		enum way way, uint64_t bin_ns, struct fault *fault);
void arrive_close(struct arrive *arrive);

/* Accounts for a frame. Returns the number of its flow, or -1. */
int64_t arrive_add(struct arrive *arrive, const struct arrived *frame);

#endif
