/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trie of 16, 8 and 8 bits: what DIR-24-8 does, in blocks of 256 where the table has longer
 * prefixes, so that it stays in the caches. IPv4, static. A slot has 16 bits, so it takes up to
 * 32 768 blocks; a table that needs more is GM_LPM_TOO_LARGE.
 */
#ifndef GM_MTRIE_H
#define GM_MTRIE_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

enum { GM_MTRIE_BLOCK = 0x8000, GM_MTRIE_FIRST = 0x10000 };

struct gm_mtrie {
	uint16_t
		*slots; /* 65 536, then 256 for each block: a next hop, or GM_MTRIE_BLOCK + block */
	uint32_t block_count;
	size_t peak_bytes;
};

int gm_mtrie_build(struct gm_mtrie *trie, const struct gm_prefixes *prefixes);

uint32_t gm_mtrie_lookup(const struct gm_mtrie *trie, uint32_t key);

void gm_mtrie_lookup_n(const struct gm_mtrie *trie, const uint32_t *keys, uint32_t *results,
		       size_t count);

size_t gm_mtrie_bytes(const struct gm_mtrie *trie);

void gm_mtrie_free(struct gm_mtrie *trie);

#endif
