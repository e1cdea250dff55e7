/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oracle of all engines: a node maps a set of offsets at which it may begin to the set of those
 * at which it may end. Offset i is bit i of 64, so a text has at most 63 bytes.
 */
#include "pattern/regex.h"

struct search {
	const struct gm_forest *forest;
	const uint8_t *text;
	unsigned length;
};

static uint64_t ends(const struct search *search, uint32_t index, uint64_t begins);

static uint64_t set_ends(const struct search *search, uint32_t set, uint64_t begins)
{
	uint64_t result = 0;

	for (unsigned i = 0; i < search->length; i++) {
		if ((begins >> i & 1) &&
		    gm_byteset_has(&search->forest->sets[set], search->text[i]))
			result |= UINT64_C(2) << i;
	}
	return result;
}

static int holds(const struct search *search, uint32_t kind, unsigned offset)
{
	const uint8_t *text = search->text;
	unsigned length = search->length;

	switch (kind) {
	case GM_ASSERT_START:
		return offset == 0;
	case GM_ASSERT_LINE_START:
		return offset == 0 || text[offset - 1] == '\n';
	case GM_ASSERT_LINE_END:
		return offset == length || text[offset] == '\n';
	case GM_ASSERT_LAST_LINE_END:
		return offset == length || (offset + 1 == length && text[offset] == '\n');
	default:
		return offset == length;
	}
}

static uint64_t assert_ends(const struct search *search, uint32_t kind, uint64_t begins)
{
	uint64_t result = 0;

	for (unsigned i = 0; i <= search->length; i++) {
		if ((begins >> i & 1) && holds(search, kind, i))
			result |= UINT64_C(1) << i;
	}
	return result;
}

static uint64_t repeat_ends(const struct search *search, const struct gm_node *node,
			    uint64_t begins)
{
	uint64_t result = node->least == 0 ? begins : 0;
	uint64_t last = begins;

	for (uint32_t times = 1; times <= node->most && last; times++) {
		uint64_t reached = ends(search, node->first, last);

		if (times >= node->least) {
			/* What was reached by as many or more times brings nothing again. */
			last = reached & ~result;
			result |= reached;
		} else {
			last = reached;
		}
	}
	return result;
}

static uint64_t ends(const struct search *search, uint32_t index, uint64_t begins)
{
	const struct gm_node *nodes = search->forest->nodes;
	const struct gm_node *node = &nodes[index];
	uint64_t result = node->kind == GM_NODE_EITHER ? 0 : begins;

	switch (node->kind) {
	case GM_NODE_SET:
		return set_ends(search, node->value, begins);
	case GM_NODE_ASSERT:
		return assert_ends(search, node->value, begins);
	case GM_NODE_REPEAT:
		return repeat_ends(search, node, begins);
	case GM_NODE_JOIN:
		for (uint32_t child = node->first; child; child = nodes[child].next)
			result = ends(search, child, result);
		return result;
	case GM_NODE_EITHER:
		for (uint32_t child = node->first; child; child = nodes[child].next)
			result |= ends(search, child, begins);
		return result;
	default:
		return begins;
	}
}

int gm_regex_matches(const struct gm_forest *forest, uint32_t root, const uint8_t *text,
		     unsigned length)
{
	struct search search = { forest, text, length };
	uint64_t everywhere = length >= 63 ? UINT64_MAX : (UINT64_C(2) << length) - 1;

	return length > 63 ? -1 : ends(&search, root, everywhere) != 0;
}
