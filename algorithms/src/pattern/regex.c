/* SPDX-License-Identifier: Apache-2.0 */
/* The parser: recursive descent, a function for each level of the grammar. */
#include "pattern/regex.h"

#include "pattern/boundary.h"
#include "pattern/class.h"
#include "pattern/parser.h"

#include <string.h>

static uint32_t either(struct gm_parser *parser, unsigned depth);

static uint32_t set_node(struct gm_parser *parser, struct gm_byteset *set)
{
	uint32_t index;

	if (parser->flags & GM_REGEX_CASELESS)
		gm_class_fold(set);
	index = gm_forest_set(parser->forest, set);
	return index == UINT32_MAX ? gm_parser_reject(parser, NULL)
				   : gm_parser_node(parser, GM_NODE_SET, index);
}

static uint32_t byte_node(struct gm_parser *parser, unsigned byte)
{
	struct gm_byteset set = { { 0 } };

	gm_byteset_add(&set, byte);
	return set_node(parser, &set);
}

static uint32_t repeat(struct gm_parser *parser, uint32_t child, uint32_t least, uint32_t most)
{
	uint32_t parent = gm_parser_node(parser, GM_NODE_REPEAT, 0);
	struct gm_node *nodes = parser->forest->nodes;
	uint32_t copies;

	if (!parent)
		return 0;
	if (nodes[child].positions == 0) { /* what has no length is there once or not at all */
		least = least > 0;
		most = most > 0;
	}
	copies = most == GM_REGEX_UNBOUNDED ? (least ? least : 1) : most;
	if (nodes[child].elements && copies > GM_REGEX_POSITIONS / nodes[child].elements)
		return gm_parser_reject(parser, "too large: more than 4096 positions");
	nodes[parent].least = least;
	nodes[parent].most = most;
	if (!gm_parser_adopt(parser, parent, child))
		return 0;
	nodes[parent].elements = copies * nodes[child].elements;
	nodes[parent].positions = copies * nodes[child].positions;
	return parent;
}

/* Resolved once the whole expression is read; until then it keeps its offset. */
static uint32_t boundary(struct gm_parser *parser, enum gm_assert kind)
{
	uint32_t index = gm_parser_node(parser, GM_NODE_ASSERT, kind);

	if (index)
		parser->forest->nodes[index].least = parser->at;
	parser->at += 2;
	parser->has_boundary = 1;
	return index;
}

static uint32_t escape(struct gm_parser *parser)
{
	struct gm_byteset set = { { 0 } };
	unsigned letter = gm_parser_peek(parser, 1);

	if (letter == 'A' || letter == 'z' || letter == 'Z') {
		parser->at += 2;
		return gm_parser_node(parser, GM_NODE_ASSERT,
				      letter == 'A'   ? GM_ASSERT_START
				      : letter == 'z' ? GM_ASSERT_END
						      : GM_ASSERT_LAST_LINE_END);
	}
	if (letter == 'b' || letter == 'B')
		return boundary(parser, letter == 'b' ? GM_ASSERT_WORD : GM_ASSERT_NO_WORD);
	if (!gm_class_escape(parser, &set))
		return 0;
	return set_node(parser, &set);
}

static uint32_t dot(struct gm_parser *parser)
{
	struct gm_byteset set;

	memset(&set, 0xff, sizeof(set));
	if (!(parser->flags & GM_REGEX_DOT_ALL))
		set.words['\n' >> 5] &= ~(UINT32_C(1) << ('\n' & 31));
	parser->at++;
	return set_node(parser, &set);
}

static uint32_t bracket(struct gm_parser *parser)
{
	struct gm_byteset set;
	uint32_t index;

	if (!gm_class_bracket(parser, &set))
		return 0;
	index = gm_forest_set(parser->forest, &set);
	return index == UINT32_MAX ? gm_parser_reject(parser, NULL)
				   : gm_parser_node(parser, GM_NODE_SET, index);
}

static uint32_t caret(struct gm_parser *parser)
{
	int lines = (parser->flags & GM_REGEX_MULTILINE) != 0;

	parser->at++;
	return gm_parser_node(parser, GM_NODE_ASSERT,
			      lines ? GM_ASSERT_LINE_START : GM_ASSERT_START);
}

static uint32_t dollar(struct gm_parser *parser)
{
	uint32_t kind = GM_ASSERT_END, offset = parser->at, index;

	parser->at++;
	if (parser->flags & GM_REGEX_MULTILINE)
		kind = GM_ASSERT_LINE_END;
	else if (parser->flags & GM_REGEX_DOLLAR_NEWLINE)
		kind = GM_ASSERT_LAST_LINE_END;
	index = gm_parser_node(parser, GM_NODE_ASSERT, kind);
	if (index)
		parser->forest->nodes[index].least = offset;
	return index;
}

/* A group: its own flags end with it. (?i) without a colon holds to the end of the group around. */
static uint32_t group(struct gm_parser *parser, unsigned depth)
{
	unsigned outside = parser->flags;
	uint32_t inner;

	if (depth >= GM_REGEX_NESTING)
		return gm_parser_reject(parser, "nested deeper than 250 groups");
	switch (gm_group_open(parser)) {
	case GM_GROUP_REJECTED:
		return 0;
	case GM_GROUP_NOTHING:
		return gm_parser_node(parser, GM_NODE_EMPTY, 0);
	case GM_GROUP_OPEN:
		break;
	}
	inner = either(parser, depth + 1);
	parser->flags = outside;
	if (!inner)
		return 0;
	if (gm_parser_peek(parser, 0) != ')')
		return gm_parser_reject(parser, "a group is not closed");
	parser->at++;
	return inner;
}

static uint32_t atom(struct gm_parser *parser, unsigned depth)
{
	unsigned byte = gm_parser_peek(parser, 0);

	switch (byte) {
	case '(':
		return group(parser, depth);
	case '[':
		return bracket(parser);
	case '.':
		return dot(parser);
	case '^':
		return caret(parser);
	case '$':
		return dollar(parser);
	case '\\':
		return escape(parser);
	case '*':
	case '+':
	case '?':
		return gm_parser_reject(parser, "nothing to repeat");
	default:
		parser->at++;
		return byte_node(parser, byte);
	}
}

/* What follows an atom: any number of {n,m}, but * + ? only once. */
static uint32_t piece(struct gm_parser *parser, unsigned depth)
{
	uint32_t result = atom(parser, depth);
	uint32_t least;
	uint32_t most;

	for (unsigned levels = 0; result && !parser->failed; levels++) {
		gm_parser_skip(parser);
		if (!gm_repeat_read(parser, &least, &most))
			break;
		if (levels + depth >= GM_REGEX_NESTING)
			return gm_parser_reject(parser, "repeats nested too deep");
		result = repeat(parser, result, least, most);
	}
	return parser->failed ? 0 : result;
}

static uint32_t join(struct gm_parser *parser, unsigned depth)
{
	uint32_t parent = gm_parser_node(parser, GM_NODE_JOIN, 0);

	for (gm_parser_skip(parser); parent && parser->at < parser->length;
	     gm_parser_skip(parser)) {
		unsigned byte = gm_parser_peek(parser, 0);

		if (byte == '|' || byte == ')')
			break;
		parent = gm_parser_adopt(parser, parent, piece(parser, depth));
	}
	if (parent && !parser->forest->nodes[parent].first)
		parser->forest->nodes[parent].kind = GM_NODE_EMPTY;
	return parent;
}

/* An alternation needs an empty branch only once: more would be copied by a repeat for nothing. */
static uint32_t either(struct gm_parser *parser, unsigned depth)
{
	uint32_t branch = join(parser, depth);
	uint32_t parent;
	int empties = 0;

	if (gm_parser_peek(parser, 0) != '|' || !branch)
		return branch;
	parent = gm_parser_node(parser, GM_NODE_EITHER, 0);
	while (parent && branch) {
		int empty = parser->forest->nodes[branch].elements == 0;

		if (!empty || !empties)
			parent = gm_parser_adopt(parser, parent, branch);
		empties |= empty;
		if (gm_parser_peek(parser, 0) != '|')
			return parent;
		parser->at++;
		branch = join(parser, depth);
	}
	return 0;
}

static uint32_t literal(struct gm_parser *parser)
{
	uint32_t parent = gm_parser_node(parser, GM_NODE_JOIN, 0);

	while (parent && parser->at < parser->length) {
		unsigned byte = parser->text[parser->at++];

		parent = gm_parser_adopt(parser, parent, byte_node(parser, byte));
	}
	return parent;
}

/* A byte behind the end of the record, as in a list of texts with `costs $5`, and no other branch. */
static uint32_t require_possible(struct gm_parser *parser, uint32_t index)
{
	const struct gm_node *nodes = parser->forest->nodes, *node = &nodes[index];

	if (node->kind != GM_NODE_JOIN)
		return index;
	for (uint32_t child = node->first, next; child; child = next) {
		next = nodes[child].next;
		if (next && nodes[child].kind == GM_NODE_ASSERT &&
		    nodes[child].value == GM_ASSERT_END && nodes[next].kind == GM_NODE_SET) {
			parser->at = nodes[child].least;
			return gm_parser_reject(parser, "never matches: a byte behind a $");
		}
		if (!require_possible(parser, child))
			return 0;
	}
	return index;
}

static uint32_t whole(struct gm_parser *parser)
{
	uint32_t root = gm_parser_node(parser, GM_NODE_JOIN, 0);

	if (root && (parser->flags & GM_REGEX_ANCHORED))
		root = gm_parser_adopt(parser, root,
				       gm_parser_node(parser, GM_NODE_ASSERT, GM_ASSERT_START));
	if (parser->flags & GM_REGEX_LITERAL)
		return gm_parser_adopt(parser, root, literal(parser));
	root = gm_parser_adopt(parser, root, either(parser, 0));
	if (root && parser->at < parser->length)
		return gm_parser_reject(parser, "a ) without its (");
	return root ? require_possible(parser, root) : 0;
}

uint32_t gm_regex_parse(struct gm_forest *forest, const uint8_t *text, size_t length,
			unsigned flags, struct gm_regex_error *error)
{
	struct gm_parser parser = { forest, text, 0, 0, flags, 0, 0, error };
	uint32_t before = forest->node_count;
	uint32_t root;

	if (length > UINT32_MAX / 2) {
		gm_parser_reject(&parser, "too large");
		return 0;
	}
	parser.length = (uint32_t)length;
	root = whole(&parser);
	if (root && parser.has_boundary)
		root = gm_boundaries_resolve(&parser, root);
	if (parser.failed || !root) {
		forest->node_count = before;
		return 0;
	}
	return root;
}
