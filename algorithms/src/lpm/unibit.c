/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/unibit.h"

#include <stdlib.h>
#include <string.h>

enum { NODES_AT_FIRST = 1024, NODES_MOST = 1 << 28, LENGTH_MOST = 128 };

int gm_unibit_init(struct gm_unibit *trie)
{
	memset(trie, 0, sizeof(*trie));
	trie->nodes = calloc(NODES_AT_FIRST, sizeof(*trie->nodes));
	if (!trie->nodes)
		return GM_LPM_NO_MEMORY;
	trie->capacity = NODES_AT_FIRST;
	trie->count = 1;
	trie->live = 1;
	return GM_LPM_OK;
}

static int grow(struct gm_unibit *trie)
{
	uint32_t capacity = trie->capacity * 2;
	struct gm_unibit_node *nodes;

	if (capacity > NODES_MOST)
		return GM_LPM_TOO_LARGE;
	nodes = realloc(trie->nodes, capacity * sizeof(*nodes));
	if (!nodes)
		return GM_LPM_NO_MEMORY;
	trie->nodes = nodes;
	trie->capacity = capacity;
	return GM_LPM_OK;
}

/* The number of a new node without children, or 0. */
static uint32_t taken(struct gm_unibit *trie)
{
	uint32_t node = trie->free;

	if (node) {
		trie->free = trie->nodes[node].child[0];
	} else {
		if (trie->count == trie->capacity && grow(trie))
			return 0;
		node = trie->count++;
	}
	memset(&trie->nodes[node], 0, sizeof(trie->nodes[node]));
	trie->live++;
	return node;
}

/* Goes from path[begin] to the route's end, and makes the nodes that are not there. */
static int extend(struct gm_unibit *trie, const struct gm_route *route, uint32_t begin,
		  uint32_t *path)
{
	for (uint32_t i = begin; i < route->length; i++) {
		uint32_t bit = gm_key_bit(&route->key, i);
		uint32_t child = trie->nodes[path[i]].child[bit];

		if (!child) {
			child = taken(trie);
			if (!child)
				return GM_LPM_NO_MEMORY;
			trie->nodes[path[i]].child[bit] = child;
		}
		path[i + 1] = child;
	}
	trie->nodes[path[route->length]].next_hop = route->next_hop;
	return GM_LPM_OK;
}

int gm_unibit_insert(struct gm_unibit *trie, const struct gm_route *route)
{
	uint32_t path[LENGTH_MOST + 1] = { 0 };

	return extend(trie, route, 0, path);
}

static uint32_t shared_length(const struct gm_route *a, const struct gm_route *b)
{
	uint32_t most = a->length < b->length ? a->length : b->length;
	uint32_t length = 0;

	while (length < most && gm_key_bit(&a->key, length) == gm_key_bit(&b->key, length))
		length++;
	return length;
}

int gm_unibit_build(struct gm_unibit *trie, const struct gm_prefixes *prefixes)
{
	const struct gm_route *routes = prefixes->routes;
	uint32_t path[LENGTH_MOST + 1] = { 0 };
	int error = gm_unibit_init(trie);

	/* A route shares the beginning of its path with the route before it. */
	for (uint32_t i = 0; i < prefixes->count && !error; i++) {
		uint32_t begin = i ? shared_length(&routes[i - 1], &routes[i]) : 0;

		error = extend(trie, &routes[i], begin, path);
	}
	if (error)
		gm_unibit_free(trie);
	return error;
}

static int is_leaf(const struct gm_unibit_node *node)
{
	return !node->child[0] && !node->child[1];
}

int gm_unibit_delete(struct gm_unibit *trie, const struct gm_route *route)
{
	uint32_t path[LENGTH_MOST + 1] = { 0 };
	uint32_t depth = route->length;

	for (uint32_t i = 0; i < depth; i++) {
		path[i + 1] = trie->nodes[path[i]].child[gm_key_bit(&route->key, i)];
		if (!path[i + 1])
			return GM_LPM_ABSENT;
	}
	if (!trie->nodes[path[depth]].next_hop)
		return GM_LPM_ABSENT;
	trie->nodes[path[depth]].next_hop = 0;
	for (; depth > 0; depth--) {
		struct gm_unibit_node *node = &trie->nodes[path[depth]];

		if (node->next_hop || !is_leaf(node))
			break;
		trie->nodes[path[depth - 1]].child[gm_key_bit(&route->key, depth - 1)] = 0;
		node->child[0] = trie->free;
		trie->free = path[depth];
		trie->live--;
	}
	return GM_LPM_OK;
}

uint32_t gm_unibit_lookup(const struct gm_unibit *trie, const struct gm_key *key, uint32_t bits)
{
	uint32_t best = trie->nodes[0].next_hop;
	uint32_t node = 0;

	for (uint32_t i = 0; i < bits; i++) {
		node = trie->nodes[node].child[gm_key_bit(key, i)];
		if (!node)
			break;
		if (trie->nodes[node].next_hop)
			best = trie->nodes[node].next_hop;
	}
	return best;
}

void gm_unibit_free(struct gm_unibit *trie)
{
	free(trie->nodes);
	memset(trie, 0, sizeof(*trie));
}

struct gm_unibit_place gm_unibit_root(const struct gm_unibit *trie)
{
	struct gm_unibit_place place = { 0, trie->nodes[0].next_hop };

	return place;
}

static struct gm_unibit_place below(const struct gm_unibit *trie, struct gm_unibit_place place,
				    uint32_t bit)
{
	place.node = trie->nodes[place.node].child[bit];
	if (place.node && trie->nodes[place.node].next_hop)
		place.next_hop = trie->nodes[place.node].next_hop;
	return place;
}

void gm_unibit_spread(const struct gm_unibit *trie, uint32_t bits, struct gm_unibit_place *places)
{
	int is_root = places[0].node == 0;

	for (uint32_t level = 0; level < bits; level++) {
		/* From the last to the first, since a place is written over by its children. */
		for (uint32_t i = UINT32_C(1) << level; i-- > 0;) {
			struct gm_unibit_place place = places[i];

			if (place.node == 0 && !is_root) {
				places[2 * (size_t)i + 1] = place;
				places[2 * (size_t)i] = place;
			} else {
				places[2 * (size_t)i + 1] = below(trie, place, 1);
				places[2 * (size_t)i] = below(trie, place, 0);
			}
		}
		is_root = 0;
	}
}
