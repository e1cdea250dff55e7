/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern/boundary.h"

#include <string.h>

/* What is on one side of a place in the pattern. */
enum edge {
	EDGE_NOTHING, /* so far */
	EDGE_RECORD, /* whatever the record has there */
	EDGE_WORD, /* a letter, a digit or _ */
	EDGE_OTHER, /* another byte, or the end of the record */
	EDGE_MIXED,
};

static const struct gm_byteset word = { { 0, 0x03ff0000, 0x87fffffe, 0x07fffffe, 0, 0, 0, 0 } };
static const struct gm_byteset no_word = {
	{ ~UINT32_C(0), ~UINT32_C(0x03ff0000), ~UINT32_C(0x87fffffe), ~UINT32_C(0x07fffffe),
	  ~UINT32_C(0), ~UINT32_C(0), ~UINT32_C(0), ~UINT32_C(0) }
};

static enum edge both(enum edge first, enum edge second)
{
	if (first == EDGE_NOTHING || first == second)
		return second;
	return second == EDGE_NOTHING ? first : EDGE_MIXED;
}

static enum edge of_set(const struct gm_byteset *set)
{
	uint32_t inside = 0, outside = 0;

	for (int i = 0; i < 8; i++) {
		inside |= set->words[i] & word.words[i];
		outside |= set->words[i] & no_word.words[i];
	}
	if (inside && outside)
		return EDGE_MIXED;
	return inside ? EDGE_WORD : EDGE_OTHER;
}

static enum edge of_node(const struct gm_forest *forest, uint32_t index, int backward, int *empty);

static enum edge of_children(const struct gm_forest *forest, const struct gm_node *node,
			     int backward, int *empty)
{
	uint32_t child = backward ? node->last : node->first;
	enum edge edge = EDGE_NOTHING;
	int is_join = node->kind == GM_NODE_JOIN;

	*empty = is_join;
	while (child && (!is_join || *empty)) {
		const struct gm_node *at = &forest->nodes[child];
		int child_empty;

		edge = both(edge, of_node(forest, child, backward, &child_empty));
		*empty = is_join ? child_empty : *empty || child_empty;
		child = backward ? at->previous : at->next;
	}
	return edge;
}

/* The first or the last byte of what a node matches; *empty: it may match nothing. */
static enum edge of_node(const struct gm_forest *forest, uint32_t index, int backward, int *empty)
{
	const struct gm_node *node = &forest->nodes[index];
	enum edge edge;

	*empty = 0;
	switch (node->kind) {
	case GM_NODE_SET:
		return of_set(&forest->sets[node->value]);
	case GM_NODE_JOIN:
	case GM_NODE_EITHER:
		return of_children(forest, node, backward, empty);
	case GM_NODE_REPEAT:
		edge = of_node(forest, node->first, backward, empty);
		*empty |= node->least == 0;
		return node->most ? edge : EDGE_NOTHING;
	case GM_NODE_EMPTY:
		*empty = 1;
		return EDGE_NOTHING;
	default:
		return EDGE_MIXED; /* an assertion inside of another element */
	}
}

/* Beside a `^` is no letter before, beside a `$` none behind. */
static enum edge of_assertion(uint32_t kind, int backward)
{
	int is_start = kind == GM_ASSERT_START || kind == GM_ASSERT_LINE_START;
	int is_end = kind == GM_ASSERT_END || kind == GM_ASSERT_LINE_END ||
		     kind == GM_ASSERT_LAST_LINE_END;

	return (backward ? is_start : is_end) ? EDGE_OTHER : EDGE_MIXED;
}

/* What is beside a child of a join, whose own side is `beyond`. */
static enum edge beside(const struct gm_forest *forest, uint32_t child, int backward,
			enum edge beyond)
{
	const struct gm_node *node = &forest->nodes[child];
	enum edge edge = EDGE_NOTHING;
	int empty = 1;

	for (;;) {
		uint32_t next = backward ? node->previous : node->next;

		if (!next)
			break;
		node = &forest->nodes[next];
		if (node->kind == GM_NODE_ASSERT)
			return both(edge, of_assertion(node->value, backward));
		edge = both(edge, of_node(forest, next, backward, &empty));
		if (!empty)
			return edge;
	}
	return both(edge, beyond);
}

struct place {
	enum edge before, after;
	int is_choice; /* another branch may match where this one does not */
};

/* Makes of a node two: one at an end of the record and one that reads a byte of `set`. */
static int make_pair(struct gm_parser *parser, uint32_t index, enum gm_node_kind kind,
		     enum gm_assert end, uint32_t set)
{
	uint32_t stop = gm_parser_node(parser, GM_NODE_ASSERT, end);
	uint32_t read = gm_parser_node(parser, GM_NODE_SET, set);

	if (!read || !stop)
		return 0;
	parser->forest->nodes[index].kind = kind;
	parser->forest->nodes[index].elements = parser->forest->nodes[index].positions = 0;
	return gm_parser_adopt(parser, index, stop) && gm_parser_adopt(parser, index, read);
}

/* Makes of a node one that reads a byte of `set`, or, where `end` is one, that is at this end. */
static int read_byte(struct gm_parser *parser, uint32_t index, const struct gm_byteset *set,
		     int has_end, enum gm_assert end)
{
	uint32_t at = gm_forest_set(parser->forest, set);

	if (at == UINT32_MAX)
		return (int)gm_parser_reject(parser, NULL);
	if (has_end)
		return make_pair(parser, index, GM_NODE_EITHER, end, at);
	parser->forest->nodes[index].kind = GM_NODE_SET;
	parser->forest->nodes[index].value = at;
	parser->forest->nodes[index].elements = parser->forest->nodes[index].positions = 1;
	return 1;
}

/* What never holds: a byte behind the record's end, if another branch may match. */
static int never(struct gm_parser *parser, uint32_t index, int is_choice)
{
	uint32_t at = gm_forest_set(parser->forest, &word);

	if (!is_choice)
		return (int)gm_parser_reject(parser, "never matches: no boundary of a word there");
	if (at == UINT32_MAX)
		return (int)gm_parser_reject(parser, NULL);
	return make_pair(parser, index, GM_NODE_JOIN, GM_ASSERT_END, at);
}

/* `wanted`: whether both sides have to differ. */
static int resolve_one(struct gm_parser *parser, uint32_t index, struct place place, int wanted)
{
	int is_start = place.before == EDGE_RECORD;
	enum edge other = is_start ? place.after : place.before;
	int is_letter;

	parser->at = parser->forest->nodes[index].least;
	if (place.before == EDGE_MIXED || place.after == EDGE_MIXED ||
	    (is_start && place.after == EDGE_RECORD))
		return (int)gm_parser_reject(parser,
					     "word boundary, beside what may be a letter or not");
	if (place.before != EDGE_RECORD && place.after != EDGE_RECORD) {
		if ((place.before != place.after) != wanted)
			return never(parser, index, place.is_choice);
		parser->forest->nodes[index].kind = GM_NODE_EMPTY;
		parser->forest->nodes[index].elements = 0;
		return 1;
	}
	is_letter = (other == EDGE_WORD) != wanted;
	return read_byte(parser, index, is_letter ? &word : &no_word, !is_letter,
			 is_start ? GM_ASSERT_START : GM_ASSERT_END);
}

static int is_boundary(const struct gm_node *node)
{
	return node->kind == GM_NODE_ASSERT &&
	       (node->value == GM_ASSERT_WORD || node->value == GM_ASSERT_NO_WORD);
}

static int resolve(struct gm_parser *parser, uint32_t index, struct place place);

static int resolve_child(struct gm_parser *parser, uint32_t child, struct place place, int in_join)
{
	struct gm_forest *forest = parser->forest;
	struct place own = place;

	if (in_join) {
		own.before = beside(forest, child, 1, place.before);
		own.after = beside(forest, child, 0, place.after);
	}
	if (is_boundary(&forest->nodes[child]))
		return resolve_one(parser, child, own,
				   forest->nodes[child].value == GM_ASSERT_WORD);
	return resolve(parser, child, own);
}

static uint32_t copies_of(const struct gm_node *node)
{
	if (node->kind != GM_NODE_REPEAT)
		return 1;
	if (node->most != GM_REGEX_UNBOUNDED)
		return node->most;
	return node->least ? node->least : 1;
}

/* The children of a node, with what stands beside each; then the node's counts. */
static int resolve(struct gm_parser *parser, uint32_t index, struct place place)
{
	const uint32_t kind = parser->forest->nodes[index].kind;
	uint32_t elements = 0, positions = 0;

	if (kind == GM_NODE_REPEAT && parser->forest->nodes[index].most > 1)
		place.before = place.after = EDGE_MIXED;
	place.is_choice |= kind == GM_NODE_EITHER ||
			   (kind == GM_NODE_REPEAT && !parser->forest->nodes[index].least);
	for (uint32_t child = parser->forest->nodes[index].first; child;
	     child = parser->forest->nodes[child].next) {
		if (!resolve_child(parser, child, place, kind == GM_NODE_JOIN))
			return 0;
		elements += parser->forest->nodes[child].elements;
		positions += parser->forest->nodes[child].positions;
	}
	if (parser->forest->nodes[index].first) {
		uint32_t copies = copies_of(&parser->forest->nodes[index]);

		parser->forest->nodes[index].elements = copies * elements;
		parser->forest->nodes[index].positions = copies * positions;
	}
	return 1;
}

uint32_t gm_boundaries_resolve(struct gm_parser *parser, uint32_t root)
{
	const struct place whole = { EDGE_RECORD, EDGE_RECORD, 0 };

	return resolve(parser, root, whole) ? root : 0;
}
