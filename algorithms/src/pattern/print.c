/* SPDX-License-Identifier: Apache-2.0 */
/* A tree as text: every byte as \xNN, so that any engine reads the same thing from it. */
#include "pattern/regex.h"

#include <stdio.h>
#include <string.h>

struct text {
	const struct gm_forest *forest;
	char *bytes;
	size_t room;
	size_t length;
};

static void put(struct text *text, const char *piece)
{
	for (; *piece; piece++, text->length++) {
		if (text->length + 1 < text->room)
			text->bytes[text->length] = *piece;
	}
}

static void put_byte(struct text *text, unsigned byte)
{
	static const char digits[] = "0123456789abcdef";
	char piece[] = { '\\', 'x', digits[byte >> 4], digits[byte & 15], 0 };

	put(text, piece);
}

static void put_number(struct text *text, uint32_t number)
{
	char piece[16];

	snprintf(piece, sizeof(piece), "%lu", (unsigned long)number);
	put(text, piece);
}

static void print_set(struct text *text, const struct gm_byteset *set)
{
	unsigned count = gm_byteset_count(set);

	put(text, count == 0 ? "[^\\x00-\\xff]" : count > 1 ? "[" : "");
	for (unsigned from = 0; from < 256; from++) {
		unsigned to = from;

		if (!gm_byteset_has(set, from))
			continue;
		while (to < 255 && gm_byteset_has(set, to + 1))
			to++;
		put_byte(text, from);
		if (to > from) {
			put(text, "-");
			put_byte(text, to);
		}
		from = to;
	}
	put(text, count > 1 ? "]" : "");
}

static void print_node(struct text *text, uint32_t index);

static void print_grouped(struct text *text, uint32_t index, int grouped)
{
	put(text, grouped ? "(?:" : "");
	print_node(text, index);
	put(text, grouped ? ")" : "");
}

static void print_repeat(struct text *text, const struct gm_node *node)
{
	print_grouped(text, node->first, text->forest->nodes[node->first].kind != GM_NODE_SET);
	put(text, "{");
	put_number(text, node->least);
	if (node->most != node->least)
		put(text, ",");
	if (node->most != node->least && node->most != GM_REGEX_UNBOUNDED)
		put_number(text, node->most);
	put(text, "}");
}

static void print_children(struct text *text, const struct gm_node *node)
{
	const struct gm_node *nodes = text->forest->nodes;

	for (uint32_t child = node->first; child; child = nodes[child].next) {
		if (node->kind == GM_NODE_EITHER && child != node->first)
			put(text, "|");
		print_grouped(text, child,
			      nodes[child].kind == GM_NODE_EITHER && nodes[child].elements);
	}
}

static void print_node(struct text *text, uint32_t index)
{
	static const char *const asserts[] = { "\\A", "(?m:^)", "(?m:$)", "\\Z", "\\z" };
	const struct gm_node *node = &text->forest->nodes[index];

	if (!node->elements)
		return;
	switch (node->kind) {
	case GM_NODE_SET:
		print_set(text, &text->forest->sets[node->value]);
		break;
	case GM_NODE_ASSERT:
		put(text, asserts[node->value]);
		break;
	case GM_NODE_REPEAT:
		print_repeat(text, node);
		break;
	default:
		print_children(text, node);
	}
}

size_t gm_regex_print(const struct gm_forest *forest, uint32_t root, char *text, size_t room)
{
	struct text printed = { forest, text, room, 0 };

	print_node(&printed, root);
	if (room)
		text[printed.length < room ? printed.length : room - 1] = 0;
	return printed.length;
}
