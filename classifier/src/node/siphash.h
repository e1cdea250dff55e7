// SPDX-License-Identifier: Apache-2.0
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a tag of 64 bits that only the holder of a key of 128
 * bits can make. It needs no table and no wide registers, and a small processor does it in a few
 * hundred instructions.
 */
#ifndef GM_NODE_SIPHASH_H
#define GM_NODE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_BYTES 16

/* Of what is put in part by part. */
struct siphash {
	uint64_t v[4];
	uint64_t word; /* bytes that are no whole word yet */
	uint64_t length;
};

void siphash_begin(struct siphash *hash, const uint8_t key[SIPHASH_KEY_BYTES]);
void siphash_add(struct siphash *hash, const void *bytes, size_t length);
uint64_t siphash_end(struct siphash *hash);

#endif
