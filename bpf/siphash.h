// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * SipHash-2-4 (Aumasson, Bernstein: "SipHash: a fast short-input PRF", INDOCRYPT 2012): who has no
 * key can neither make the hash of a message nor tell it from chance. No table, and as many steps
 * for every message. Shared by the agent (agent/src/frame/tagged.h), live.bpf.c, sink.bpf.c and the
 * classifier's nodes (classifier/src/node/siphash.h), which hash messages of any length.
 */
#ifndef GM_SIPHASH_H
#define GM_SIPHASH_H

#include "shared.h"
#include "wraps.h"

/* 16 bytes, read as two little-endian words. */
struct siphash_key {
	__u64 k0, k1;
};

#define SIPHASH_LEFT(word, bits) ((word) << (bits) | (word) >> (64 - (bits)))

WRAPS SHARED void siphash_rounds(__u64 v[4], int rounds)
{
	for (int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[1] = SIPHASH_LEFT(v[1], 13) ^ v[0];
		v[0] = SIPHASH_LEFT(v[0], 32);
		v[2] += v[3];
		v[3] = SIPHASH_LEFT(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = SIPHASH_LEFT(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = SIPHASH_LEFT(v[1], 17) ^ v[2];
		v[2] = SIPHASH_LEFT(v[2], 32);
	}
}

SHARED void siphash_word(__u64 v[4], __u64 word)
{
	v[3] ^= word;
	siphash_rounds(v, 2);
	v[0] ^= word;
}

SHARED void siphash_first(__u64 v[4], const struct siphash_key *key)
{
	v[0] = key->k0 ^ 0x736f6d6570736575ull;
	v[1] = key->k1 ^ 0x646f72616e646f6dull;
	v[2] = key->k0 ^ 0x6c7967656e657261ull;
	v[3] = key->k1 ^ 0x7465646279746573ull;
}

/* `word`: the bytes that are left, and the number of all bytes in the highest one. */
SHARED __u64 siphash_last(__u64 v[4], __u64 word)
{
	siphash_word(v, word);
	v[2] ^= 0xff;
	siphash_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/*
 * The hash of 8 to 15 bytes: `first` are the first eight, `last` the others with the number of all
 * bytes in the highest one; both are read little-endian.
 */
SHARED __u64 siphash_two(const struct siphash_key *key, __u64 first, __u64 last)
{
	__u64 v[4];

	siphash_first(v, key);
	siphash_word(v, first);
	return siphash_last(v, last);
}

#endif
