/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR-24-8: an array over the first 24 bits, and groups of 256 for what is longer. 32 MiB and two
 * dependent loads at most; IPv4, static.
 *
 * Source: P. Gupta, S. Lin, N. McKeown, "Routing lookups in hardware at memory access speeds"
 * (INFOCOM 1998).
 */
#ifndef GM_DIR24_H
#define GM_DIR24_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

enum { GM_DIR24_GROUP = 0x8000 };

struct gm_dir24 {
	uint16_t *first; /* 2^24: a next hop, or GM_DIR24_GROUP and the number of a group */
	uint16_t *groups; /* 256 next hops each */
	uint32_t group_count;
	size_t peak_bytes;
};

int gm_dir24_build(struct gm_dir24 *table, const struct gm_prefixes *prefixes);

/* The next hop of an address, or 0. */
static inline uint32_t gm_dir24_lookup(const struct gm_dir24 *table, uint32_t key)
{
	uint32_t slot = table->first[key >> 8];

	if (slot & GM_DIR24_GROUP)
		slot = table->groups[(slot & 0x7fff) << 8 | (key & 255)];
	return slot;
}

void gm_dir24_lookup_n(const struct gm_dir24 *table, const uint32_t *keys, uint32_t *results,
		       size_t count);

/* The same for a processor that has AVX-512 (gm/impl.h); x86-64 alone. */
void gm_dir24_lookup_n_avx512(const struct gm_dir24 *table, const uint32_t *keys, uint32_t *results,
			      size_t count);

size_t gm_dir24_bytes(const struct gm_dir24 *table);

void gm_dir24_free(struct gm_dir24 *table);

#endif
