// SPDX-License-Identifier: Apache-2.0
/*
 * The books of one way of a line: in = sent + dropped + lost + refused + waiting. Frames that were
 * inside as the books began are in none of them.
 */
#ifndef GM_BOOKS_H
#define GM_BOOKS_H

#include "count/histogram.h"
#include "line/schedule.h"
#include "talk/line.h"

#include <stdint.h>

#define BOOKS_DROPS 10000
#define BOOKS_NEAR_NS 50000

struct drop {
	uint64_t at_ns; /* CLOCK_REALTIME */
	uint64_t bytes;
};

struct books {
	uint64_t in, sent, dropped, lost, refused;
	uint64_t bytes; /* of frames sent, without check sequence */
	uint64_t busy_ns;
	uint64_t peak_packets, peak_bytes; /* that waited */
	uint64_t older; /* frames inside from before */
	uint64_t near; /* left at most 50 us late */
	struct histogram late;
	uint64_t drops; /* in `drop` */
	struct drop drop[BOOKS_DROPS]; /* the first, in order of time */
};

/* Begins them anew, with so many frames inside. */
void books_begin(struct books *books, uint64_t inside);

/* A frame came and is inside now; the buffer refused it, at at_ns; nothing could take it. */
void books_accept(struct books *books, const struct schedule *schedule);
void books_drop(struct books *books, uint64_t at_ns, uint32_t bytes);
void books_refuse(struct books *books, uint64_t frames);

/* A frame goes out, in the order in which they came: sent, or refused by the port. */
void books_leave(struct books *books, const struct slot *slot, bool sent, uint64_t late_ns);

/* "name":{...}, with the frames inside and what to add to a time for CLOCK_MONOTONIC. */
void books_report(const struct books *books, uint64_t inside, int64_t offset_ns, struct line *line,
		  const char *name);

#endif
