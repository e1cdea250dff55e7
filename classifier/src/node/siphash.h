// SPDX-License-Identifier: Apache-2.0
/* SipHash-2-4 (bpf/siphash.h) of what is put in part by part. */
#ifndef GM_NODE_SIPHASH_H
#define GM_NODE_SIPHASH_H

#include "bpf/siphash.h"

#include <stddef.h>
#include <stdint.h>

#define SIPHASH_KEY_BYTES 16

struct siphash {
	__u64 v[4];
	uint64_t word; /* bytes that are no whole word yet */
	uint64_t length;
};

void siphash_begin(struct siphash *hash, const uint8_t key[SIPHASH_KEY_BYTES]);
void siphash_add(struct siphash *hash, const void *bytes, size_t length);
uint64_t siphash_end(struct siphash *hash);

#endif
