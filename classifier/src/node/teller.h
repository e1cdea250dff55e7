// SPDX-License-Identifier: Apache-2.0
/*
 * The classifier node's side: tells its action nodes which flows to prefer. A flow is told as it is
 * decided, again at half its ttl, and once more when it is to be preferred no more. An AN that was
 * away is told all that holds. No AN is waited for: one that does not read is left, and tried again.
 */
#ifndef GM_NODE_TELLER_H
#define GM_NODE_TELLER_H

#include "live/cache.h"
#include "model/read.h"
#include "node/order.h"
#include "node/rap.h"

#define TELLER_MOST 16 /* action nodes */
#define TELLER_TICK_MS 200

/* What was told of a flow. */
struct told {
	uint64_t sent_ms;
	uint32_t tick;
	uint8_t action;
};

enum link_state { LINK_AWAY, LINK_CONNECTING, LINK_FRESH, LINK_READY };

struct link {
	const char *place; /* as the command line has it */
	bool is_rap; /* an action node of DIFFUSE's time, by UDP */
	struct order waiting[RAP_ORDERS_MOST]; /* for it */
	size_t waiting_count;
	uint32_t sequence;
	enum link_state state;
	int fd;
	uint64_t retry_ms;
	size_t nonce_bytes;
	struct seal seal;
	struct orders orders;
};

struct teller {
	struct cache told;
	struct link link[TELLER_MOST];
	size_t links;
	uint16_t ttl_s;
	uint32_t tick, model;
	uint64_t now_ms;
	const struct named_model *named;
};

/* Reads 32 hex digits from a file that others cannot read. 0, or -errno with the fault filled. */
int key_read(uint8_t key[SIPHASH_KEY_BYTES], const char *path, struct fault *fault);

/*
 * `to`: ADDRESS or ADDRESS:PORT (an IPv6 address in brackets), with commas between; rap: before one
 * is for RAP. flows: decisions at a time. 0 or -errno with the fault filled; teller_close() in either case.
 */
int teller_open(struct teller *teller, const char *to, const char *key, uint16_t ttl_s,
		size_t flows, struct fault *fault);
void teller_close(struct teller *teller);

/* Every tick: begin, each flow that is decided and whether it is to be preferred now, end. */
void teller_begin(struct teller *teller, const struct named_model *named);
void teller_note(struct teller *teller, const struct flow_key *key, const struct decision *decision,
		 bool is_preferred);
void teller_end(struct teller *teller);

/* Action nodes that hear it. */
unsigned int teller_ready(const struct teller *teller);

#endif
