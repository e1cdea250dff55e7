/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cutting a binary trie into pieces. A piece is known by its root; a node of the binary trie is a
 * piece's root if `cut` says so, else it belongs to its parent's piece.
 */
#include "gm/shape_shifting_trie.h"

#include "gm/unibit.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_MOST = 15 };

struct build {
	struct gm_sst *trie;
	struct gm_unibit unibit;
	uint8_t *levels; /* of each binary node: the pieces from it down to the deepest leaf */
	uint8_t *sizes; /* its members, of the piece that begins at it */
	uint8_t *cut; /* whether it begins a piece */
	uint32_t *roots; /* of each piece, breadth-first */
};

/* A piece's members breadth-first, and the pieces that hang on it from left to right. */
struct piece {
	uint32_t members[SIZE_MOST];
	uint32_t children[SIZE_MOST + 1];
	uint32_t member_count;
	uint32_t child_count;
	uint32_t shape;
	uint32_t external;
};

/*
 * Level and size of a binary node from those of its children: it takes in the pieces of its
 * highest children if they fit, else it begins a level of its own.
 */
static void measure(struct build *build, uint32_t number)
{
	const uint32_t *child = build->unibit.nodes[number].child;
	uint32_t level = 0;
	uint32_t size = 1;

	for (int side = 0; side < 2; side++) {
		if (child[side] && build->levels[child[side]] > level)
			level = build->levels[child[side]];
	}
	for (int side = 0; side < 2; side++) {
		if (child[side] && build->levels[child[side]] == level)
			size += build->sizes[child[side]];
	}
	if (level == 0 || size > build->trie->size) {
		level++;
		size = 1;
	}
	build->levels[number] = (uint8_t)level;
	build->sizes[number] = (uint8_t)size;
	for (int side = 0; side < 2; side++) {
		if (child[side])
			build->cut[child[side]] = build->levels[child[side]] != level;
	}
}

static void gather(const struct build *build, uint32_t root, struct piece *piece)
{
	uint32_t zeros = 0;

	memset(piece, 0, sizeof(*piece));
	piece->members[piece->member_count++] = root;
	for (uint32_t j = 0; j < piece->member_count; j++) {
		for (uint32_t side = 0; side < 2; side++) {
			uint32_t child = build->unibit.nodes[piece->members[j]].child[side];

			if (child && !build->cut[child]) {
				piece->shape |= UINT32_C(1) << (2 * j + side);
				piece->members[piece->member_count++] = child;
				continue;
			}
			if (child) {
				piece->external |= UINT32_C(1) << zeros;
				piece->children[piece->child_count++] = child;
			}
			zeros++;
		}
	}
}

/* While the smallest piece below fits into this one, takes it in. */
static void merge(struct build *build, uint32_t root)
{
	struct piece piece;

	for (;;) {
		uint32_t smallest = 0;

		gather(build, root, &piece);
		for (uint32_t i = 0; i < piece.child_count; i++) {
			if (!smallest || build->sizes[piece.children[i]] < build->sizes[smallest])
				smallest = piece.children[i];
		}
		if (!smallest || piece.member_count + build->sizes[smallest] > build->trie->size)
			break;
		build->cut[smallest] = 0;
		build->sizes[root] = (uint8_t)(piece.member_count + build->sizes[smallest]);
	}
}

/* In a trie that was built from sorted prefixes, children have higher numbers. */
static void cut_all(struct build *build, enum gm_sst_cut cut)
{
	for (uint32_t number = build->unibit.count; number-- > 0;)
		measure(build, number);
	build->cut[0] = 1;
	build->trie->height = build->levels[0];
	for (uint32_t number = build->unibit.count; number-- > 0 && cut == GM_SST_MERGED;) {
		if (build->cut[number])
			merge(build, number);
	}
}

static size_t node_size(const struct gm_sst *trie)
{
	return trie->size == 7 ? sizeof(struct gm_sst7_node) : sizeof(struct gm_sst15_node);
}

/* Counts pieces and prefixes, and makes room for just these. */
static int reserve(struct build *build)
{
	struct gm_sst *trie = build->trie;
	uint32_t nodes = 0;
	uint32_t results = 0;

	for (uint32_t number = 0; number < build->unibit.count; number++) {
		nodes += build->cut[number];
		results += build->unibit.nodes[number].next_hop != 0;
	}
	build->roots = malloc(nodes * sizeof(*build->roots));
	trie->nodes = malloc(nodes * node_size(trie));
	trie->results = malloc((results + 1) * sizeof(*trie->results));
	trie->node_count = nodes;
	return build->roots && trie->nodes && trie->results ? GM_LPM_OK : GM_LPM_NO_MEMORY;
}

static uint32_t write_results(struct build *build, const struct piece *piece)
{
	struct gm_sst *trie = build->trie;
	uint32_t internal = 0;

	for (uint32_t j = 0; j < piece->member_count; j++) {
		uint32_t next_hop = build->unibit.nodes[piece->members[j]].next_hop;

		if (next_hop) {
			internal |= UINT32_C(1) << j;
			trie->results[trie->result_count++] = (uint16_t)next_hop;
		}
	}
	return internal;
}

static void write_node(struct gm_sst *trie, uint32_t number, const struct piece *piece,
		       uint32_t internal, const uint32_t *bases)
{
	if (trie->size == 7) {
		struct gm_sst7_node node = { piece->shape | internal << 14 | piece->external << 21,
					     bases[0], bases[1] };

		((struct gm_sst7_node *)trie->nodes)[number] = node;
	} else {
		struct gm_sst15_node node = { piece->shape | (uint64_t)internal << 30 |
						      (uint64_t)piece->external << 45,
					      bases[0], bases[1] };

		((struct gm_sst15_node *)trie->nodes)[number] = node;
	}
}

/* Breadth-first: the pieces that hang on one are neighbours. */
static void write_all(struct build *build)
{
	uint32_t met = 1;

	build->roots[0] = 0;
	for (uint32_t number = 0; number < build->trie->node_count; number++) {
		uint32_t bases[2] = { met, build->trie->result_count };
		struct piece piece;

		gather(build, build->roots[number], &piece);
		memcpy(build->roots + met, piece.children,
		       piece.child_count * sizeof(*piece.children));
		met += piece.child_count;
		write_node(build->trie, number, &piece, write_results(build, &piece), bases);
	}
}

static int cut_and_write(struct build *build, enum gm_sst_cut cut)
{
	uint32_t count = build->unibit.count;
	int error;

	build->levels = malloc(count);
	build->sizes = malloc(count);
	build->cut = malloc(count);
	if (!build->levels || !build->sizes || !build->cut)
		return GM_LPM_NO_MEMORY;
	cut_all(build, cut);
	error = reserve(build);
	if (!error)
		write_all(build);
	return error;
}

int gm_sst_build(struct gm_sst *trie, const struct gm_prefixes *prefixes, uint32_t size,
		 enum gm_sst_cut cut)
{
	struct build build = { trie, { 0 }, NULL, NULL, NULL, NULL };
	int error = gm_unibit_build(&build.unibit, prefixes);

	memset(trie, 0, sizeof(*trie));
	trie->size = size;
	if (!error)
		error = cut_and_write(&build, cut);
	trie->peak_bytes = build.unibit.capacity * sizeof(*build.unibit.nodes) +
			   (size_t)3 * build.unibit.count + gm_sst_bytes(trie) +
			   trie->node_count * sizeof(*build.roots);
	gm_unibit_free(&build.unibit);
	free(build.levels);
	free(build.sizes);
	free(build.cut);
	free(build.roots);
	if (error)
		gm_sst_free(trie);
	return error;
}

size_t gm_sst_bytes(const struct gm_sst *trie)
{
	return trie->node_count * node_size(trie) + trie->result_count * sizeof(*trie->results);
}

void gm_sst_free(struct gm_sst *trie)
{
	free(trie->nodes);
	free(trie->results);
	memset(trie, 0, sizeof(*trie));
}
