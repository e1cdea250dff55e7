/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trie for IPv6 of few, wide steps: an array over the first 24 bits of the addresses that the table
 * has, then blocks of 256 slots for 8 bits each. Quick where memory is no matter: 19.6 MB for
 * 160 000 prefixes. Static.
 *
 * Source: the steps of DIR-24-8 (P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at memory
 * access speeds", INFOCOM 1998), carried on to 128 bits.
 */
#ifndef GM_MTRIE6_H
#define GM_MTRIE6_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

#define GM_MTRIE6_BLOCK UINT32_C(0x8000)

enum { GM_MTRIE6_LEVELS = 13 }; /* of blocks: at bits 24, 32 ... 120 */

/* A slot is a next hop, or GM_MTRIE6_BLOCK and the number of a block within the next level. */
struct gm_mtrie6 {
	uint16_t *first; /* of `low` and what follows; the last slot is for all other addresses */
	uint16_t *slots; /* blocks of 256, level by level */
	uint32_t levels[GM_MTRIE6_LEVELS + 1]; /* the number of each level's first block */
	uint32_t low; /* an address's first 24 bits */
	uint32_t first_count; /* slots without the last */
	uint32_t block_count;
	size_t peak_bytes; /* the most that was allocated while it was built */
};

/* Builds from sorted prefixes of IPv6; GM_LPM_TOO_LARGE beyond 32 768 blocks of a level. */
int gm_mtrie6_build(struct gm_mtrie6 *trie, const struct gm_prefixes *prefixes);

/* The next hop of an address, or 0. */
uint32_t gm_mtrie6_lookup(const struct gm_mtrie6 *trie, const struct gm_key *key);

/* The same for many addresses, several at a time. */
void gm_mtrie6_lookup_n(const struct gm_mtrie6 *trie, const struct gm_key *keys, uint32_t *results,
			size_t count);

/* What a look-up may touch, in bytes. */
size_t gm_mtrie6_bytes(const struct gm_mtrie6 *trie);

void gm_mtrie6_free(struct gm_mtrie6 *trie);

#endif
