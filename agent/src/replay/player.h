// SPDX-License-Identifier: Apache-2.0
/*
 * One side of a replay: sends its own packets when they are due and accounts for the arrivals from
 * the other side, in one thread. It sleeps, then spins the last part of each wait, and empties the
 * ring meanwhile. Allocates nothing.
 *
 * Where the clients are masked, a packet down can only go to the port that its flow has outside.
 * A packet that is due before any packet up of its flow has arrived is held until then. A packet of
 * TCP is held for a while until what the other side sent before it in its flow has arrived.
 * Otherwise a late sender's answers would overtake the requests, and a gateway that tracks
 * connections calls a packet invalid that acknowledges bytes it has not seen.
 */
#ifndef GM_PLAYER_H
#define GM_PLAYER_H

#include "count/histogram.h"
#include "port/port.h"
#include "replay/arrive.h"
#include "replay/frames.h"
#include "replay/inlet.h"
#include "talk/talk.h"

#include <stdbool.h>
#include <stdint.h>

#define HELD_NONE UINT32_MAX
#define SENT_REFUSED (-1) /* in sent_ns: the port refused it */
#define SENT_NEVER (-2) /* its time was over, or its flow had no port */

struct player {
	struct talk *talk;
	const struct trace *trace;
	enum way way; /* what this side sends */
	bool masked; /* and by which port is to be learned */
	bool shared; /* others work on this processor meanwhile */
	struct frames frames;
	struct inlet inlet;
	struct arrive arrive;
	int fd; /* sends */

	uint64_t t0_ns, t1_ns;
	uint64_t tick_every_ns; /* 0: never */
	uint64_t tried, bytes, held, gaps_over_1ms;
	struct port_tally tally;
	struct histogram late;
	int64_t *sent_ns; /* by number: CLOCK_MONOTONIC, or SENT_... */
	uint32_t *tried_by_flow;

	/* Where it stands. */
	uint32_t next; /* number of the next packet */
	uint64_t end_ns, look_ns, tick_ns, last_ns;
	uint32_t waiting; /* held just now */
	uint32_t *held_first, *held_last; /* by flow: packets that wait */
	uint32_t *held_after; /* by number */
	int64_t *
		answers; /* by number: the other side's packet before it in its TCP flow; -1: none */
};

/* Takes the memory. All else but the counters is filled in by the caller; trace is scheduled. */
int player_open(struct player *player, struct fault *fault);
void player_close(struct player *player);

/* From t0_ns until the last packet was sent or its time is over. False: stdin was closed before. */
bool player_send(struct player *player);

/* Goes on receiving until stdin is closed, then takes what has come. */
void player_listen(struct player *player);

#endif
