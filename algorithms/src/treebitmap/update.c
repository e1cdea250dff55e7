/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a TreeBitmap in place: a child or result block is moved to one of another length. */
#include "common/bits.h"
#include "gm/treebitmap.h"
#include "treebitmap/node.h"
#include "treebitmap/pool.h"

enum { LEVELS_MOST = 33 };

/* The way to a prefix: nodes, and the chunks between them. */
struct path {
	uint32_t nodes[LEVELS_MOST];
	uint32_t chunks[LEVELS_MOST];
	uint32_t depth;
	uint32_t position; /* of the prefix in the last node's internal bitmap */
};

static struct tbm_node load(const struct gm_treebitmap *trie, uint32_t number)
{
	return tbm_load(trie->nodes.elements, trie->stride, number);
}

static void store(struct gm_treebitmap *trie, uint32_t number, const struct tbm_node *node)
{
	tbm_store(trie->nodes.elements, trie->stride, number, node);
}

static int open_child(struct gm_treebitmap *trie, uint32_t number, uint32_t chunk)
{
	struct tbm_node node = load(trie, number);
	int error = tbm_pool_open(&trie->nodes, &node.child_base, gm_count64(node.external),
				  gm_rank64(node.external, chunk));

	node.external |= UINT64_C(1) << chunk;
	if (!error)
		store(trie, number, &node);
	return error;
}

static int close_child(struct gm_treebitmap *trie, uint32_t number, uint32_t chunk)
{
	struct tbm_node node = load(trie, number);
	int error = tbm_pool_close(&trie->nodes, &node.child_base, gm_count64(node.external),
				   gm_rank64(node.external, chunk));

	node.external &= ~(UINT64_C(1) << chunk);
	if (!error)
		store(trie, number, &node);
	return error;
}

static uint32_t position_of(const struct gm_route *route, uint32_t offset)
{
	uint32_t rest = route->length - offset;

	return (UINT32_C(1) << rest) - 1 + (rest ? gm_key_chunk(&route->key, offset, rest) : 0);
}

/* Goes to the node in which the prefix ends; nodes that are missing are made, or it is absent. */
static int walk(struct gm_treebitmap *trie, const struct gm_route *route, struct path *path,
		int make)
{
	uint32_t offset = 0;
	int error = GM_LPM_OK;

	path->depth = 0;
	path->nodes[0] = 0;
	for (; route->length - offset >= trie->stride && !error; offset += trie->stride) {
		uint32_t chunk = gm_key_chunk(&route->key, offset, trie->stride);
		uint32_t number = path->nodes[path->depth];
		struct tbm_node node = load(trie, number);

		if (!(node.external >> chunk & 1)) {
			error = make ? open_child(trie, number, chunk) : GM_LPM_ABSENT;
			node = load(trie, number);
		}
		path->chunks[path->depth++] = chunk;
		path->nodes[path->depth] = node.child_base + gm_rank64(node.external, chunk);
	}
	if (!error)
		path->position = position_of(route, offset);
	return error;
}

int gm_treebitmap_insert(struct gm_treebitmap *trie, const struct gm_route *route)
{
	struct path path;
	struct tbm_node node;
	uint32_t number;
	uint32_t rank;
	int error;

	if (trie->bits)
		return GM_LPM_STATIC;
	error = walk(trie, route, &path, 1);
	if (error)
		return error;
	number = path.nodes[path.depth];
	node = load(trie, number);
	rank = gm_rank64(node.internal, path.position);
	if (!(node.internal >> path.position & 1))
		error = tbm_pool_open(&trie->results, &node.result_base, gm_count64(node.internal),
				      rank);
	if (error)
		return error;
	node.internal |= UINT64_C(1) << path.position;
	store(trie, number, &node);
	((uint16_t *)trie->results.elements)[node.result_base + rank] = (uint16_t)route->next_hop;
	return GM_LPM_OK;
}

/* Removes the nodes at the path's end in which and below which nothing is. */
static int prune(struct gm_treebitmap *trie, const struct path *path)
{
	int error = GM_LPM_OK;

	for (uint32_t depth = path->depth; depth > 0 && !error; depth--) {
		struct tbm_node node = load(trie, path->nodes[depth]);

		if (node.internal || node.external)
			break;
		error = close_child(trie, path->nodes[depth - 1], path->chunks[depth - 1]);
	}
	return error;
}

int gm_treebitmap_delete(struct gm_treebitmap *trie, const struct gm_route *route)
{
	struct path path;
	struct tbm_node node;
	int error;

	if (trie->bits)
		return GM_LPM_STATIC;
	error = walk(trie, route, &path, 0);
	if (error)
		return error;
	node = load(trie, path.nodes[path.depth]);
	if (!(node.internal >> path.position & 1))
		return GM_LPM_ABSENT;
	error = tbm_pool_close(&trie->results, &node.result_base, gm_count64(node.internal),
			       gm_rank64(node.internal, path.position));
	if (error)
		return error;
	node.internal &= ~(UINT64_C(1) << path.position);
	store(trie, path.nodes[path.depth], &node);
	return prune(trie, &path);
}
