/* SPDX-License-Identifier: Apache-2.0 */
/* The states of the lazy DFA: how one is made from another, kept, found again and forgotten. */
#include "match/lazy.h"

#include <stdlib.h>
#include <string.h>

static void place_add(struct gm_lazy *lazy, uint32_t place)
{
	if (lazy->seen[place] == lazy->seen_stamp)
		return;
	lazy->seen[place] = lazy->seen_stamp;
	lazy->set[lazy->count++] = place;
}

static void set_clear(struct gm_lazy *lazy)
{
	lazy->count = 0;
	if (++lazy->seen_stamp == 0) {
		memset(lazy->seen, 0, lazy->nfa.place_count * sizeof(uint32_t));
		lazy->seen_stamp = 1;
	}
}

/* Roots have an edge for each pattern and are in nearly every set: theirs are sorted by class. */
static int root_follow(struct gm_lazy *lazy, uint32_t place, uint32_t class)
{
	for (int i = 0; i < 3; i++) {
		const struct gm_lazy_root *root = &lazy->roots[i];

		if (lazy->nfa.roots[i] != place)
			continue;
		for (uint32_t at = root->first[class]; at < root->first[class + 1]; at++)
			place_add(lazy, root->targets[at]);
		return 1;
	}
	return 0;
}

void gm_lazy_follow(struct gm_lazy *lazy, const uint32_t *places, uint32_t count, uint32_t class)
{
	const struct gm_nfa *nfa = &lazy->nfa;
	uint8_t byte = nfa->bytes[class];

	set_clear(lazy);
	for (uint32_t i = 0; i < count; i++) {
		const struct gm_place *place = &nfa->places[places[i]];

		if (root_follow(lazy, places[i], class))
			continue;
		for (uint32_t edge = place[0].edges; edge < place[1].edges; edge++) {
			if (gm_byteset_has(&nfa->sets.sets[nfa->edges[edge].set], byte))
				place_add(lazy, nfa->edges[edge].target);
		}
	}
	place_add(lazy, nfa->roots[byte == '\n' ? GM_ROOT_NEWLINE : GM_ROOT_OTHER]);
}

void gm_lazy_begin(struct gm_lazy *lazy)
{
	set_clear(lazy);
	place_add(lazy, lazy->nfa.roots[GM_ROOT_START]);
}

static int by_value(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left;
	uint32_t b = *(const uint32_t *)right;

	return (a > b) - (a < b);
}

static uint32_t set_hash(const uint32_t *places, uint32_t count)
{
	uint32_t hash = count;

	for (uint32_t i = 0; i < count; i++)
		hash = (hash ^ places[i]) * UINT32_C(0x9e3779b1) + (hash >> 15);
	return hash ^ hash >> 16;
}

static uint32_t marked_row(const struct gm_lazy *lazy, uint32_t state)
{
	return state * lazy->classes | (lazy->states[state].accepts ? GM_LAZY_ACCEPTS : 0);
}

static uint32_t accepts_count(const struct gm_lazy *lazy)
{
	uint32_t accepts = 0;

	for (uint32_t i = 0; i < lazy->count; i++) {
		const struct gm_place *place = &lazy->nfa.places[lazy->set[i]];

		accepts += place[1].accepts - place[0].accepts;
	}
	return accepts;
}

static void accepts_copy(const struct gm_lazy *lazy, uint32_t *ids)
{
	for (uint32_t i = 0; i < lazy->count; i++) {
		const struct gm_place *place = &lazy->nfa.places[lazy->set[i]];

		for (uint32_t at = place[0].accepts; at < place[1].accepts; at++)
			*ids++ = lazy->nfa.accepts[at];
	}
}

uint32_t gm_lazy_state_of_set(struct gm_lazy *lazy)
{
	uint32_t accepts = accepts_count(lazy);
	uint32_t *head;
	struct gm_lazy_state *state;

	qsort(lazy->set, lazy->count, sizeof(uint32_t), by_value);
	head = &lazy->heads[set_hash(lazy->set, lazy->count) & lazy->head_mask];
	for (uint32_t at = *head; at; at = lazy->states[at].chain) {
		state = &lazy->states[at];
		if (state->places == lazy->count &&
		    memcmp(lazy->pool + state->set, lazy->set, lazy->count * sizeof(uint32_t)) == 0)
			return marked_row(lazy, at);
	}
	if (lazy->used == lazy->room || lazy->count + accepts > lazy->pool_room - lazy->pool_used)
		return 0;
	state = &lazy->states[++lazy->used];
	state->set = lazy->pool_used;
	state->places = lazy->count;
	state->accepts = accepts;
	state->chain = *head;
	*head = lazy->used;
	memcpy(lazy->pool + state->set, lazy->set, lazy->count * sizeof(uint32_t));
	accepts_copy(lazy, lazy->pool + state->set + lazy->count);
	lazy->pool_used += lazy->count + accepts;
	memset(lazy->next + (size_t)lazy->used * lazy->classes, 0,
	       lazy->classes * sizeof(uint32_t));
	lazy->built++;
	return marked_row(lazy, lazy->used);
}

/* Puts the lane's state, which moves to the front of the pool, into the emptied cache. */
static void state_keep(struct gm_lazy *lazy, uint32_t old)
{
	struct gm_lazy_state kept = lazy->states[old];
	uint32_t words = kept.places + kept.accepts;
	uint32_t hash;

	memmove(lazy->pool + lazy->pool_used, lazy->pool + kept.set, words * sizeof(uint32_t));
	kept.set = lazy->pool_used;
	hash = set_hash(lazy->pool + kept.set, kept.places) & lazy->head_mask;
	kept.chain = lazy->heads[hash];
	lazy->pool_used += words;
	lazy->heads[hash] = ++lazy->used;
	lazy->states[lazy->used] = kept;
	memset(lazy->next + (size_t)lazy->used * lazy->classes, 0,
	       lazy->classes * sizeof(uint32_t));
}

void gm_lazy_flush(struct gm_lazy *lazy)
{
	uint32_t states[GM_LAZY_LANES] = { 0 };
	uint32_t last = 0;

	for (uint32_t lane = 0; lane < lazy->lanes_used; lane++)
		states[lane] = lazy->lanes[lane].used ? lazy->lanes[lane].row / lazy->classes : 0;
	memset(lazy->heads, 0, ((size_t)lazy->head_mask + 1) * sizeof(uint32_t));
	lazy->used = 0;
	lazy->pool_used = 0;
	lazy->start = 0;
	lazy->flushes++;
	/* In the order of their numbers, which is that of the pool: no state overwrites a later one. */
	for (;;) {
		uint32_t least = UINT32_MAX;

		for (uint32_t lane = 0; lane < lazy->lanes_used; lane++) {
			if (states[lane] > last && states[lane] < least)
				least = states[lane];
		}
		if (least == UINT32_MAX)
			break;
		state_keep(lazy, least);
		for (uint32_t lane = 0; lane < lazy->lanes_used; lane++) {
			if (states[lane] == least)
				lazy->lanes[lane].row = lazy->used * lazy->classes;
		}
		last = least;
	}
}
