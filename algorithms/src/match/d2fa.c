/* SPDX-License-Identifier: Apache-2.0 */
/*
 * D2FA: defaults along the heaviest spanning trees of the graph in which the weight between two
 * states is the number of bytes that lead both to the same one. Trees have a bounded diameter, and
 * defaults lead to their centre.
 *
 * Source: S. Kumar, S. Dharmapurikar, F. Yu, P. Crowley, J. Turner, "Algorithms to accelerate
 * multiple regular expressions matching for deep packet inspection" (2006).
 */
#include "match/delayed.h"
#include "match/engines.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum { LEAST_WEIGHT = 2, MOST_WEIGHT = 256 };

struct forest {
	const struct gm_dfa *dfa;
	uint32_t diameter;
	uint8_t *
		weights; /* less 1, of states u < v at u (2n - u - 1) / 2 + v - u - 1; 0: below 2 */
	uint32_t *trees; /* of each state: the tree's least state */
	uint32_t *eccentricities; /* the distance of the farthest state of its tree */
	uint32_t *diameters; /* of each tree */
	uint32_t *firsts, *nexts,
		*ends; /* lists of each state's edges; edge 2i and 2i + 1 are one */
	uint32_t edges;
	uint32_t *queue, *distances;
};

static void release(struct forest *forest)
{
	free(forest->weights);
	free(forest->trees);
	free(forest->eccentricities);
	free(forest->diameters);
	free(forest->firsts);
	free(forest->nexts);
	free(forest->ends);
	free(forest->queue);
	free(forest->distances);
}

static int allocate(struct forest *forest)
{
	size_t states = forest->dfa->state_count;
	uint32_t **arrays[] = { &forest->trees,	    &forest->eccentricities,
				&forest->diameters, &forest->firsts,
				&forest->queue,	    &forest->distances,
				&forest->nexts,	    &forest->ends };

	forest->weights = calloc(states * (states - 1) / 2 + 1, 1);
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		*arrays[i] = calloc(2 * states + 1, sizeof(uint32_t));
		if (!*arrays[i])
			return GM_MATCH_MEMORY;
	}
	for (uint32_t i = 0; i < states; i++) {
		forest->trees[i] = i;
		forest->firsts[i] = NONE;
	}
	return forest->weights ? GM_MATCH_OK : GM_MATCH_MEMORY;
}

/* All weights, and which of them occur. */
static void weigh(struct forest *forest, const uint32_t *weights, uint8_t occurs[MOST_WEIGHT + 1])
{
	uint32_t states = forest->dfa->state_count;
	size_t pair = 0;

	for (uint32_t u = 0; u < states; u++) {
		for (uint32_t v = u + 1; v < states; v++) {
			uint32_t weight = gm_common(forest->dfa, weights, u, v);

			occurs[weight] = 1;
			forest->weights[pair++] = (uint8_t)(weight < LEAST_WEIGHT ? 0 : weight - 1);
		}
	}
}

/* Walks a tree from a state: `queue` is its states, `distances` how far they are. Their number. */
static uint32_t walk(struct forest *forest, uint32_t from, uint32_t *parents)
{
	uint32_t count = 1;

	forest->queue[0] = from;
	forest->distances[from] = 0;
	parents[from] = GM_NO_DEFAULT;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t state = forest->queue[i];

		for (uint32_t e = forest->firsts[state]; e != NONE; e = forest->nexts[e]) {
			uint32_t end = forest->ends[e];

			if (end == parents[state])
				continue;
			parents[end] = state;
			forest->distances[end] = forest->distances[state] + 1;
			forest->queue[count++] = end;
		}
	}
	return count;
}

static void add_edge(struct forest *forest, uint32_t from, uint32_t to)
{
	forest->ends[forest->edges] = to;
	forest->nexts[forest->edges] = forest->firsts[from];
	forest->firsts[from] = forest->edges++;
}

/* One side of a new edge: how far it is now to the farthest state of the other side. */
static void update(struct forest *forest, uint32_t from, uint32_t beyond, uint32_t tree,
		   uint32_t *parents)
{
	uint32_t count = walk(forest, from, parents);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t state = forest->queue[i];
		uint32_t far = forest->distances[state] + beyond;

		forest->trees[state] = tree;
		if (far > forest->eccentricities[state])
			forest->eccentricities[state] = far;
	}
}

/* Joins the trees of two states if the diameter allows it. */
static void join(struct forest *forest, uint32_t u, uint32_t v, uint32_t *parents)
{
	uint32_t left = forest->trees[u];
	uint32_t right = forest->trees[v];
	uint32_t tree = left < right ? left : right;
	uint32_t across = forest->eccentricities[u] + 1 + forest->eccentricities[v];
	uint32_t from_u = forest->eccentricities[u] + 1;
	uint32_t from_v = forest->eccentricities[v] + 1;

	if (left == right)
		return;
	across = across > forest->diameters[left] ? across : forest->diameters[left];
	across = across > forest->diameters[right] ? across : forest->diameters[right];
	if (forest->diameter && across > forest->diameter)
		return;
	forest->diameters[tree] = across;
	update(forest, u, from_v, tree, parents);
	update(forest, v, from_u, tree, parents);
	add_edge(forest, u, v);
	add_edge(forest, v, u);
}

/* Kruskal: pairs of one weight in the order of their states. */
static void join_all(struct forest *forest, uint32_t weight, uint32_t *parents)
{
	uint32_t states = forest->dfa->state_count;
	const uint8_t *row = forest->weights;

	for (uint32_t u = 0; u + 1 < states; u++) {
		size_t length = states - u - 1;
		const uint8_t *at = row;

		while ((at = memchr(at, (int)weight - 1, length - (size_t)(at - row)))) {
			join(forest, u, u + 1 + (uint32_t)(at - row), parents);
			if ((size_t)(++at - row) == length)
				break;
		}
		row += length;
	}
}

/* Defaults lead to the centre of each tree: the least of the states that are nearest to all. */
static void point_to_centres(struct forest *forest, uint32_t *defaults)
{
	uint32_t states = forest->dfa->state_count;
	uint32_t *centres = forest->diameters;

	for (uint32_t i = 0; i < states; i++)
		centres[i] = NONE;
	for (uint32_t i = 0; i < states; i++) {
		uint32_t *centre = &centres[forest->trees[i]];

		if (*centre == NONE || forest->eccentricities[i] < forest->eccentricities[*centre])
			*centre = i;
	}
	for (uint32_t i = 0; i < states; i++) {
		if (centres[i] != NONE)
			walk(forest, centres[i], defaults);
	}
}

int gm_d2fa_defaults(const struct gm_dfa *dfa, const uint32_t *weights,
		     const struct gm_match_bounds *bounds, uint32_t *defaults,
		     struct gm_match_error *error)
{
	struct forest forest = { 0 };
	uint8_t occurs[MOST_WEIGHT + 1] = { 0 };
	uint64_t pairs = (uint64_t)dfa->state_count * dfa->state_count / 2;
	int status;

	if (pairs > bounds->max_bytes) {
		error->reason = "the graph of its states is too large";
		error->reached = dfa->state_count;
		return GM_MATCH_LIMIT;
	}
	forest.dfa = dfa;
	forest.diameter = bounds->diameter;
	status = allocate(&forest);
	if (status == GM_MATCH_OK) {
		weigh(&forest, weights, occurs);
		for (uint32_t weight = MOST_WEIGHT; weight >= LEAST_WEIGHT; weight--) {
			if (occurs[weight])
				join_all(&forest, weight, defaults);
		}
		point_to_centres(&forest, defaults);
	}
	release(&forest);
	return status;
}

static void *build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
		   struct gm_match_error *error)
{
	return gm_delayed_build(patterns, bounds, error, gm_d2fa_defaults);
}

const struct gm_engine gm_engine_d2fa = {
	"d2fa",
	"defaults along spanning trees of bounded diameter",
	build,
	gm_delayed_scan,
	gm_delayed_count,
	gm_delayed_bytes,
	gm_delayed_free,
};
