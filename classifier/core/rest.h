// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * UDP flows of IPv4 whose windows agree, which a model may let pass for some packets: what is done
 * with them stands here, and nothing else of them is looked at. A flow has one place, by its key;
 * one that another flow has is given up a packet at a time.
 */
#ifndef GM_REST_H
#define GM_REST_H

#include "classifier/core/flow.h"

#define RESTS_BITS 10
#define RESTS (1 << RESTS_BITS)
#define REST_MOST 1000 /* packets that pass at a time */
#define REST_ANY_BYTES 0xffffffff

/* A key of IPv4 and UDP, as on the wire. */
struct rest_key {
	__u32 lan, wan;
	__u32 ports; /* the LAN's end has the upper half */
};

struct rest {
	struct rest_key key;
	__u32 left; /* packets that pass; 0: none */
	__u32 bytes, most; /* of those that passed; of all that may */
	__u32 mark;
	__u8 class, confidence, verdict, unused;
};

SHARED struct rest_key rest_key(const struct flow_key *key)
{
	struct rest_key short_key = { key->lan[0], key->wan[0],
				      (__u32)key->lan_port << 16 | key->wan_port };

	return short_key;
}

/* Fibonacci hashing: the upper bits of a product. */
WRAPS SHARED __u32 rest_place(const struct rest_key *key)
{
	return ((key->lan ^ key->wan ^ key->ports) * 0x9e3779b1u) >> (32 - RESTS_BITS);
}

SHARED int rest_is_of(const struct rest *rest, const struct rest_key *key)
{
	return rest->key.ports == key->ports && rest->key.wan == key->wan &&
	       rest->key.lan == key->lan;
}

/* Whether a packet of so many bytes passes; it is counted then. */
SHARED int rest_passes(struct rest *rest, const struct rest_key *key, __u32 length)
{
	if (!rest->left || !rest_is_of(rest, key) || length > rest->most - rest->bytes)
		return 0;
	rest->left--;
	rest->bytes += length;
	return 1;
}

/* Ends it. Returns the bytes that passed, which no guard has counted. */
SHARED __u32 rest_end(struct rest *rest, const struct rest_key *key)
{
	__u32 bytes = rest->bytes;

	if (!rest_is_of(rest, key))
		return 0;
	rest->left = rest->bytes = 0;
	return bytes;
}

/* Returns 0 where another flow has the place. */
SHARED int rest_begin(struct rest *rest, const struct rest_key *key, __u32 packets, __u32 most,
		      const struct outcome *outcome)
{
	if (rest->left && !rest_is_of(rest, key)) {
		rest->left--;
		return 0;
	}
	rest->key = *key;
	rest->left = packets;
	rest->bytes = 0;
	rest->most = most;
	rest->mark = outcome->mark;
	rest->class = outcome->class;
	rest->confidence = outcome->confidence;
	rest->verdict = outcome->verdict;
	return 1;
}

SHARED void rest_outcome(const struct rest *rest, struct outcome *outcome)
{
	outcome->mark = rest->mark;
	outcome->class = rest->class;
	outcome->confidence = rest->confidence;
	outcome->verdict = rest->verdict;
}

#endif
