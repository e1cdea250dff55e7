/* SPDX-License-Identifier: Apache-2.0 */
/* What every part of the grammar asks of the parser. */
#include "pattern/parser.h"

#include "common/grow.h"

#include <string.h>

uint32_t gm_parser_reject(struct gm_parser *parser, const char *reason)
{
	if (!parser->failed) {
		parser->failed = 1;
		parser->error->reason = reason;
		parser->error->offset = parser->at;
	}
	return 0;
}

uint32_t gm_parser_node(struct gm_parser *parser, uint32_t kind, uint32_t value)
{
	struct gm_forest *forest = parser->forest;
	uint32_t index = forest->node_count ? forest->node_count : 1;
	void *grown = gm_grow(forest->nodes, &forest->node_room, index + 1, sizeof(struct gm_node));
	struct gm_node *made;

	if (!grown)
		return gm_parser_reject(parser, NULL);
	forest->nodes = grown;
	forest->node_count = index + 1;
	made = &forest->nodes[index];
	memset(made, 0, sizeof(*made));
	made->kind = kind;
	made->value = value;
	made->elements = kind == GM_NODE_SET || kind == GM_NODE_ASSERT;
	made->positions = kind == GM_NODE_SET;
	return index;
}

uint32_t gm_parser_adopt(struct gm_parser *parser, uint32_t parent, uint32_t child)
{
	struct gm_node *nodes = parser->forest->nodes;

	if (!parent || !child)
		return 0;
	nodes[child].previous = nodes[parent].last;
	if (nodes[parent].last)
		nodes[nodes[parent].last].next = child;
	else
		nodes[parent].first = child;
	nodes[parent].last = child;
	nodes[parent].elements += nodes[child].elements;
	nodes[parent].positions += nodes[child].positions;
	if (nodes[parent].elements > GM_REGEX_POSITIONS)
		return gm_parser_reject(parser, "too large: more than 4096 positions");
	return parent;
}
