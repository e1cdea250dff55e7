/* SPDX-License-Identifier: Apache-2.0 */
/* A TreeBitmap that is being built, and what its first array adds to it. */
#ifndef GM_TREEBITMAP_BUILD_H
#define GM_TREEBITMAP_BUILD_H

#include "gm/treebitmap.h"
#include "gm/unibit.h"

#include <stdlib.h>

struct tbm_build {
	struct gm_treebitmap *trie;
	struct gm_unibit unibit;
	uint32_t *origins; /* of each node, its unibit node */
	uint32_t origin_capacity;
};

/* Adds a node, to be filled from a unibit node. */
int tbm_append_node(struct tbm_build *build, uint32_t origin);

/* Adds a next hop. */
int tbm_append_result(struct tbm_build *build, uint32_t next_hop);

/* A plain first array. Node 0 is an empty one, to which slots without a node lead. */
int tbm_fill_first(struct tbm_build *build, const struct gm_prefixes *prefixes);

/* A packed one. Node 0 is empty, and result 0 is no route. */
int tbm_fill_packed(struct tbm_build *build);

#endif
