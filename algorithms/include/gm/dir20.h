/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DIR-24-8 with its first array in two steps: 20 bits, then blocks of 16 where a slot has more than
 * one next hop, then groups of 256. A full table of IPv4 has a fourth of its bytes and of its
 * pages, for three dependent loads at most. With AVX-512 it is the fastest one here. IPv4, static.
 */
#ifndef GM_DIR20_H
#define GM_DIR20_H

#include "gm/dir24.h"
#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

#define GM_DIR20_BLOCK UINT32_C(0x80000000)

struct gm_dir20 {
	uint32_t *first; /* 2^20: a next hop, or GM_DIR20_BLOCK and the number of a block */
	uint16_t *blocks; /* 16 each: a next hop, or GM_DIR24_GROUP and the number of a group */
	uint16_t *groups; /* 256 next hops each */
	uint32_t block_count, group_count;
	size_t peak_bytes;
};

/* Builds by way of a DIR-24-8. */
int gm_dir20_build(struct gm_dir20 *table, const struct gm_prefixes *prefixes);

/* Next hops of many addresses, or 0. */
void gm_dir20_lookup_n(const struct gm_dir20 *table, const uint32_t *keys, uint32_t *results,
		       size_t count);

/* The same for a processor that has AVX-512 (gm/impl.h); x86-64 alone. */
void gm_dir20_lookup_n_avx512(const struct gm_dir20 *table, const uint32_t *keys, uint32_t *results,
			      size_t count);

size_t gm_dir20_bytes(const struct gm_dir20 *table);

void gm_dir20_free(struct gm_dir20 *table);

#endif
