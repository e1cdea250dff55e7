/* SPDX-License-Identifier: Apache-2.0 */
#include "automaton/parts.h"

#include <stdlib.h>
#include <string.h>

/* Of a part, when there are several: more would not stay in the caches. */
enum { PART_STATES = 6000 };

void gm_parts_free(struct gm_parts *parts)
{
	for (uint32_t i = 0; i < parts->count; i++) {
		gm_dfa_free(&parts->parts[i].dfa);
		free(parts->parts[i].ids);
	}
	parts->count = 0;
}

/* Does every match begin at the record's start? */
static int anchored(const struct gm_forest *forest, uint32_t index)
{
	const struct gm_node *nodes = forest->nodes;
	const struct gm_node *node = &nodes[index];

	switch (node->kind) {
	case GM_NODE_ASSERT:
		return node->value == GM_ASSERT_START;
	case GM_NODE_REPEAT:
		return node->least && anchored(forest, node->first);
	case GM_NODE_JOIN:
		for (uint32_t child = node->first; child; child = nodes[child].next) {
			if (nodes[child].elements)
				return anchored(forest, child);
		}
		return 0;
	case GM_NODE_EITHER:
		for (uint32_t child = node->first; child; child = nodes[child].next) {
			if (!anchored(forest, child))
				return 0;
		}
		return 1;
	default:
		return 0;
	}
}

/* How many byte sets of the tree repeat without bound: each may double the states of a set. */
static uint32_t loops(const struct gm_forest *forest, uint32_t index)
{
	const struct gm_node *node = &forest->nodes[index];
	uint32_t count = node->kind == GM_NODE_REPEAT && node->most > 8;

	for (uint32_t child = node->first; child; child = forest->nodes[child].next)
		count += loops(forest, child);
	return count;
}

struct ranked {
	uint32_t loops;
	uint32_t id;
};

static int by_loops(const void *left, const void *right)
{
	const struct ranked *a = left;
	const struct ranked *b = right;

	if (a->loops != b->loops)
		return a->loops < b->loops ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

struct division {
	const struct gm_patterns *patterns;
	struct gm_match_bounds bounds;
	struct gm_parts *parts;
	struct gm_match_error *error;
};

/* One automaton of these patterns. */
static int build_one(struct division *division, const uint32_t *ids, uint32_t count)
{
	struct gm_part *part = &division->parts->parts[division->parts->count];
	struct gm_patterns *subset;
	struct gm_nfa nfa;
	int status;

	if (division->parts->count == GM_PARTS) {
		division->error->reason = "the set would need more than 64 automata";
		return GM_MATCH_INPUT;
	}
	subset = gm_patterns_subset(division->patterns, ids, count);
	part->ids = malloc((count + (size_t)1) * sizeof(uint32_t));
	status = subset && part->ids
			 ? gm_nfa_build(&nfa, subset, &division->bounds, division->error)
			 : GM_MATCH_MEMORY;
	if (status == GM_MATCH_OK) {
		memcpy(part->ids, ids, count * sizeof(uint32_t));
		status = gm_dfa_build(&part->dfa, &nfa, NULL, &division->bounds, division->error);
		gm_nfa_free(&nfa);
	}
	gm_patterns_free(subset);
	if (status != GM_MATCH_OK) {
		free(part->ids);
		return status;
	}
	if (part->dfa.peak_bytes > division->parts->peak_bytes)
		division->parts->peak_bytes = part->dfa.peak_bytes;
	division->parts->count++;
	return GM_MATCH_OK;
}

/* Halves the list until each part fits. */
static int build_halves(struct division *division, const uint32_t *ids, uint32_t count)
{
	int status;

	if (!count)
		return GM_MATCH_OK;
	status = build_one(division, ids, count);
	if (status != GM_MATCH_LIMIT)
		return status;
	if (count == 1) {
		division->error->line = division->patterns->patterns[ids[0]].line;
		return status;
	}
	status = build_halves(division, ids, count / 2);
	return status == GM_MATCH_OK ? build_halves(division, ids + count / 2, count - count / 2)
				     : status;
}

/* The ids with anchored patterns first, and in each part those with few loops first. */
static uint32_t rank(const struct gm_patterns *patterns, struct ranked *ranked)
{
	uint32_t first = 0;
	uint32_t end = patterns->count;

	for (uint32_t id = 0; id < patterns->count; id++) {
		uint32_t root = patterns->patterns[id].root;
		struct ranked entry = { loops(patterns->forest, root), id };

		ranked[anchored(patterns->forest, root) ? first++ : --end] = entry;
	}
	qsort(ranked, first, sizeof(*ranked), by_loops);
	qsort(ranked + first, patterns->count - first, sizeof(*ranked), by_loops);
	return first;
}

static int build_parts(struct division *division, uint32_t *ids)
{
	const struct gm_patterns *patterns = division->patterns;
	struct ranked *ranked = malloc((patterns->count + (size_t)1) * sizeof(*ranked));
	uint32_t first;
	int status;

	if (!ranked)
		return GM_MATCH_MEMORY;
	first = rank(patterns, ranked);
	for (uint32_t i = 0; i < patterns->count; i++)
		ids[i] = ranked[i].id;
	free(ranked);
	if (division->bounds.max_states > PART_STATES)
		division->bounds.max_states = PART_STATES;
	status = build_halves(division, ids, first);
	return status == GM_MATCH_OK ? build_halves(division, ids + first, patterns->count - first)
				     : status;
}

int gm_parts_build(struct gm_parts *parts, const struct gm_patterns *patterns,
		   const struct gm_match_bounds *bounds, struct gm_match_error *error)
{
	struct division division = { patterns, gm_bounds(bounds), parts, error };
	uint32_t *ids = malloc((patterns->count + (size_t)1) * sizeof(uint32_t));
	int status = GM_MATCH_MEMORY;

	memset(parts, 0, sizeof(*parts));
	for (uint32_t i = 0; ids && i < patterns->count; i++)
		ids[i] = i;
	if (ids)
		status = build_one(&division, ids, patterns->count);
	if (status == GM_MATCH_LIMIT)
		status = build_parts(&division, ids);
	free(ids);
	if (status != GM_MATCH_OK) {
		error->reason = error->reason ? error->reason : "no memory";
		gm_parts_free(parts);
	}
	return status;
}
