/* SPDX-License-Identifier: Apache-2.0 */
/* A node of any stride in the same form. With a constant stride all of it is folded. */
#ifndef GM_TREEBITMAP_NODE_H
#define GM_TREEBITMAP_NODE_H

#include "common/inline.h"
#include "gm/treebitmap.h"

struct tbm_node {
	uint64_t internal, external;
	uint32_t child_base, result_base;
};

GM_INLINE struct tbm_node tbm_load(const void *nodes, uint32_t stride, uint32_t number)
{
	struct tbm_node loaded;

	if (stride == 4) {
		const struct gm_tbm4_node *node = (const struct gm_tbm4_node *)nodes + number;

		loaded.internal = node->internal;
		loaded.external = node->external;
		loaded.child_base = node->child_base;
		loaded.result_base = node->result_base;
	} else if (stride == 5) {
		const struct gm_tbm5_node *node = (const struct gm_tbm5_node *)nodes + number;

		loaded.internal = node->internal;
		loaded.external = node->external;
		loaded.child_base = node->child_base;
		loaded.result_base = node->result_base;
	} else {
		const struct gm_tbm6_node *node = (const struct gm_tbm6_node *)nodes + number;

		loaded.internal = node->internal;
		loaded.external = node->external;
		loaded.child_base = node->child_base;
		loaded.result_base = node->result_base;
	}
	return loaded;
}

static inline void tbm_store(void *nodes, uint32_t stride, uint32_t number,
			     const struct tbm_node *from)
{
	if (stride == 4) {
		struct gm_tbm4_node node = { (uint16_t)from->internal, (uint16_t)from->external,
					     from->child_base, from->result_base };

		((struct gm_tbm4_node *)nodes)[number] = node;
	} else if (stride == 5) {
		struct gm_tbm5_node node = { (uint32_t)from->internal, (uint32_t)from->external,
					     from->child_base, from->result_base };

		((struct gm_tbm5_node *)nodes)[number] = node;
	} else {
		struct gm_tbm6_node node = { from->internal, from->external, from->child_base,
					     from->result_base };

		((struct gm_tbm6_node *)nodes)[number] = node;
	}
}

#endif
