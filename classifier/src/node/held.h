// SPDX-License-Identifier: Apache-2.0
/*
 * The flows that an action node has told nft, and until when each is held: so it knows that it is
 * full before nft refuses a transaction. It holds as many flows as it says, wherever they hash to,
 * and none makes room for another before its end (live/cache.h does both otherwise). Some 3 MB when
 * it is full, touched as it fills.
 */
#ifndef GM_NODE_HELD_H
#define GM_NODE_HELD_H

#include "classifier/core/flow.h"
#include "node/siphash.h"

#include <stdbool.h>
#include <stdint.h>

#define HELD_FLOWS 65536 /* of both families together */

enum held_by { HELD_UNKEYED, HELD_KEYED };

struct held_flow;

/* A place is a number from 1 on; 0 is none. */
struct held {
	struct held_flow *flow;
	uint32_t *first; /* of each chain: the place of its first flow */
	uint32_t touched; /* places that were ever taken are up to here */
	uint32_t free; /* the first of these that is free again */
	uint32_t flows; /* that are held, with those that ended since the last look */
	uint32_t looked_s; /* when it was looked last for flows that ended */
	uint8_t secret[SIPHASH_KEY_BYTES]; /* so that nobody can fill one chain alone */
};

/* An empty one. 0, -ENOMEM, or -errno of getrandom(); held_close() in either case. */
int held_open(struct held *held);
void held_close(struct held *held);
void held_clear(struct held *held);

/*
 * Holds a flow until end_s, whether or not it was held before. Times are seconds of the monotonic
 * clock. False, and nothing is changed: it is a new one, and `most` flows (up to HELD_FLOWS) are
 * held; or it is held for one with the key, and who asks has none. Room that flows leave by their end
 * is known a second later at most.
 */
bool held_take(struct held *held, const struct flow_key *key, enum held_by by, uint32_t end_s,
	       uint32_t now_s, uint32_t most);

/* Holds a flow no more. False: it was not held, or not for who asks. */
bool held_drop(struct held *held, const struct flow_key *key, enum held_by by, uint32_t now_s);

#endif
