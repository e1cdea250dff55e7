/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DXR: an array over the first bits, each slot one next hop or a sorted run of ranges that is
 * searched by halves. IPv4, static.
 *
 * Source: M. Zec, L. Rizzo, M. Mikuc, "DXR: towards a billion routing lookups per second in
 * software" (CCR 2012).
 */
#ifndef GM_DXR_H
#define GM_DXR_H

#include "gm/prefixes.h"

#include <stddef.h>
#include <stdint.h>

#define GM_DXR_LEAF UINT32_C(0x80000000)

struct gm_dxr_range {
	uint16_t start; /* the low bits of its first address; of a run's first: how many follow */
	uint16_t next_hop;
};

struct gm_dxr {
	uint32_t *direct; /* 2^bits: a run's first range, or GM_DXR_LEAF and a next hop */
	struct gm_dxr_range *ranges;
	uint32_t bits;
	uint32_t range_count;
	size_t peak_bytes;
};

/* Builds from sorted prefixes; `bits` 16..20. */
int gm_dxr_build(struct gm_dxr *table, const struct gm_prefixes *prefixes, uint32_t bits);

uint32_t gm_dxr_lookup(const struct gm_dxr *table, uint32_t key);

void gm_dxr_lookup_n(const struct gm_dxr *table, const uint32_t *keys, uint32_t *results,
		     size_t count);

size_t gm_dxr_bytes(const struct gm_dxr *table);

void gm_dxr_free(struct gm_dxr *table);

#endif
