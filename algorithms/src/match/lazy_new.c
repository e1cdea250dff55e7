/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of the lazy DFA, and its place among the engines. */
#include "match/lazy.h"

#include <stdlib.h>
#include <string.h>

enum {
	CACHE_BYTES = 2 << 20,
	SET_WORDS = 24, /* of the pool for each state: how large a set is expected to be */
	STATES_FOR_LANES = 64,
};

/* Lists a root's targets by class, if there is room for them; returns how many there are. */
static uint32_t root_list(const struct gm_nfa *nfa, uint32_t number, struct gm_lazy_root *root)
{
	const struct gm_place *place = &nfa->places[nfa->roots[number]];
	uint32_t total = 0;

	for (uint32_t class = 0; class < nfa->class_count; class++) {
		root->first[class] = total;
		for (uint32_t i = place[0].edges; i < place[1].edges; i++) {
			const struct gm_edge *edge = &nfa->edges[i];

			if (!gm_byteset_has(&nfa->sets.sets[edge->set], nfa->bytes[class]))
				continue;
			if (root->targets)
				root->targets[total] = edge->target;
			total++;
		}
	}
	root->first[nfa->class_count] = total;
	return total;
}

static int root_sort(struct gm_lazy *lazy, uint32_t number)
{
	struct gm_lazy_root *root = &lazy->roots[number];
	size_t total;

	root->first = calloc(lazy->classes + (size_t)1, sizeof(uint32_t));
	if (!root->first)
		return GM_MATCH_MEMORY;
	total = root_list(&lazy->nfa, number, root);
	root->targets = malloc((total + 1) * sizeof(uint32_t));
	if (!root->targets)
		return GM_MATCH_MEMORY;
	root_list(&lazy->nfa, number, root);
	return GM_MATCH_OK;
}

static uint32_t states_that_fit(const struct gm_lazy *lazy, uint64_t bytes)
{
	uint64_t each =
		(lazy->classes + SET_WORDS + 2) * sizeof(uint32_t) + sizeof(struct gm_lazy_state);
	uint64_t states = bytes / each;

	/* A row's offset has 31 bits. */
	states = states > UINT32_MAX / 2 / lazy->classes ? UINT32_MAX / 2 / lazy->classes : states;
	return states < GM_LAZY_LEAST ? GM_LAZY_LEAST : (uint32_t)states;
}

/* The pool holds the largest sets of all lanes, even if that is more than the bound. */
static uint32_t pool_words(const struct gm_lazy *lazy)
{
	uint64_t largest = (uint64_t)lazy->nfa.place_count + lazy->nfa.accept_count;
	uint64_t least = (lazy->lanes_used + 2) * largest;
	uint64_t words = (uint64_t)lazy->room * SET_WORDS;

	words = words < least ? least : words;
	return words > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)words;
}

static int cache_new(struct gm_lazy *lazy)
{
	uint32_t heads = 16;
	size_t states = lazy->room + (size_t)1;

	while (heads < lazy->room)
		heads *= 2;
	lazy->head_mask = heads - 1;
	lazy->pool_room = pool_words(lazy);
	lazy->next = malloc(states * lazy->classes * sizeof(uint32_t));
	lazy->states = malloc(states * sizeof(*lazy->states));
	lazy->pool = malloc((size_t)lazy->pool_room * sizeof(uint32_t));
	lazy->heads = calloc(heads, sizeof(uint32_t));
	lazy->set = malloc((size_t)lazy->nfa.place_count * sizeof(uint32_t));
	lazy->other = malloc((size_t)lazy->nfa.place_count * sizeof(uint32_t));
	lazy->seen = calloc(lazy->nfa.place_count, sizeof(uint32_t));
	if (!lazy->next || !lazy->states || !lazy->pool || !lazy->heads || !lazy->set ||
	    !lazy->other || !lazy->seen)
		return GM_MATCH_MEMORY;
	memset(lazy->next, 0, lazy->classes * sizeof(uint32_t));
	return GM_MATCH_OK;
}

static int filled(struct gm_lazy *lazy, const struct gm_match_bounds *bounds, uint32_t states)
{
	int status = GM_MATCH_OK;

	lazy->classes = lazy->nfa.class_count;
	lazy->room = states_that_fit(lazy, bounds->cache_bytes ? bounds->cache_bytes : CACHE_BYTES);
	lazy->room = states ? states : lazy->room;
	lazy->lanes_used = lazy->room < STATES_FOR_LANES ? 1 : GM_LAZY_LANES;
	for (uint32_t i = 0; i < 3 && status == GM_MATCH_OK; i++)
		status = root_sort(lazy, i);
	for (uint32_t i = 0; i < lazy->lanes_used && status == GM_MATCH_OK; i++)
		status = gm_hits_init(&lazy->lanes[i].hits, lazy->nfa.patterns);
	return status == GM_MATCH_OK ? cache_new(lazy) : status;
}

struct gm_lazy *gm_lazy_new(const struct gm_patterns *patterns,
			    const struct gm_match_bounds *bounds, uint32_t states,
			    struct gm_match_error *error)
{
	struct gm_lazy *lazy = calloc(1, sizeof(*lazy));

	if (!lazy)
		return NULL;
	if (gm_nfa_build(&lazy->nfa, patterns, bounds, error) != GM_MATCH_OK ||
	    filled(lazy, bounds, states) != GM_MATCH_OK) {
		gm_lazy_free(lazy);
		return NULL;
	}
	return lazy;
}

void gm_lazy_free(struct gm_lazy *lazy)
{
	if (!lazy)
		return;
	for (int i = 0; i < 3; i++) {
		free(lazy->roots[i].first);
		free(lazy->roots[i].targets);
	}
	for (int i = 0; i < GM_LAZY_LANES; i++)
		gm_hits_free(&lazy->lanes[i].hits);
	free(lazy->next);
	free(lazy->states);
	free(lazy->pool);
	free(lazy->heads);
	free(lazy->set);
	free(lazy->other);
	free(lazy->seen);
	gm_nfa_free(&lazy->nfa);
	free(lazy);
}

static void *engine_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
			  struct gm_match_error *error)
{
	return gm_lazy_new(patterns, bounds, 0, error);
}

static int engine_scan(void *engine, const struct gm_records *records, struct gm_result *result)
{
	return gm_lazy_scan(engine, records, result);
}

static uint64_t engine_bytes(const void *engine)
{
	const struct gm_lazy *lazy = engine;

	return ((uint64_t)lazy->used + 1) *
		       (lazy->classes * sizeof(uint32_t) + sizeof(struct gm_lazy_state)) +
	       ((uint64_t)lazy->pool_used + lazy->head_mask + 1) * sizeof(uint32_t) +
	       gm_nfa_bytes(&lazy->nfa);
}

static void engine_count(const void *engine, struct gm_counters *counters)
{
	const struct gm_lazy *lazy = engine;

	gm_counters_add(counters, "positions", lazy->nfa.place_count);
	gm_counters_add(counters, "classes", lazy->classes);
	gm_counters_add(counters, "cache_states", lazy->used);
	gm_counters_add(counters, "cache_room", lazy->room);
	gm_counters_add(counters, "built_states", lazy->built);
	gm_counters_add(counters, "flushes", lazy->flushes);
	gm_counters_add(counters, "simulated_bytes", lazy->simulated);
}

static void engine_free(void *engine)
{
	gm_lazy_free(engine);
}

const struct gm_engine gm_engine_lazy = {
	"lazy",	      "DFA whose states are made when they are needed, in a cache of bounded size",
	engine_build, engine_scan,
	engine_count, engine_bytes,
	engine_free,
};
