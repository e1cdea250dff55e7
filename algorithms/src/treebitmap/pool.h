/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of neighbouring elements that grow and shrink by one element. */
#ifndef GM_TREEBITMAP_POOL_H
#define GM_TREEBITMAP_POOL_H

#include "gm/treebitmap.h"

/* Takes a block; GM_LPM_NO_MEMORY if there is none. */
int tbm_pool_take(struct gm_treebitmap_pool *pool, uint32_t length, uint32_t *start);

/*
 * Moves a block of `length` elements to one with a gap at `place`, which is zero. *start is the
 * block's, before and after.
 */
int tbm_pool_open(struct gm_treebitmap_pool *pool, uint32_t *start, uint32_t length,
		  uint32_t place);

/* Moves a block of `length` elements to one without the element at `place`. */
int tbm_pool_close(struct gm_treebitmap_pool *pool, uint32_t *start, uint32_t length,
		   uint32_t place);

size_t tbm_pool_peak(const struct gm_treebitmap_pool *pool);

void tbm_pool_free(struct gm_treebitmap_pool *pool);

#endif
