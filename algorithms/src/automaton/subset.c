/* SPDX-License-Identifier: Apache-2.0 */
#include "automaton/subset.h"

#include "common/grow.h"

#include <string.h>

#define NO_STATE UINT32_MAX

enum { FIRST_HEADS = 1024, ROOTS = 3 };

static int has_class(const struct gm_nfa *nfa, const struct gm_edge *edge, uint32_t byte_class)
{
	return gm_byteset_has(&nfa->sets.sets[edge->set], nfa->bytes[byte_class]);
}

/* The roots have an edge for each pattern, so their targets are listed for each class. */
static uint32_t list_root(struct gm_subset *subset, int root, uint32_t at, int write)
{
	const struct gm_nfa *nfa = subset->nfa;
	uint32_t place = nfa->roots[root];

	for (uint32_t i = 0; i < nfa->class_count; i++) {
		subset->root_firsts[(uint32_t)root * 256 + i] = at;
		for (uint32_t e = nfa->places[place].edges; e < nfa->places[place + 1].edges; e++) {
			if (!has_class(nfa, &nfa->edges[e], i))
				continue;
			if (write)
				subset->root_targets[at] = nfa->edges[e].target;
			at++;
		}
	}
	return at;
}

static int list_roots(struct gm_subset *subset)
{
	for (int write = 0; write < 2; write++) {
		uint32_t at = 0;

		for (int root = 0; root < ROOTS; root++) {
			at = list_root(subset, root, at, write);
			subset->root_firsts[(uint32_t)root * 256 + subset->nfa->class_count] = at;
		}
		if (write)
			return GM_MATCH_OK;
		subset->root_targets = malloc((at + (size_t)1) * sizeof(uint32_t));
		if (!subset->root_targets)
			break;
	}
	return GM_MATCH_MEMORY;
}

void gm_subset_clear(struct gm_subset *subset)
{
	subset->state_count = 0;
	subset->place_count = 0;
	subset->firsts[0] = 0;
	memset(subset->heads, 0xff, (subset->head_mask + (size_t)1) * sizeof(uint32_t));
}

int gm_subset_init(struct gm_subset *subset, const struct gm_nfa *nfa)
{
	memset(subset, 0, sizeof(*subset));
	subset->nfa = nfa;
	subset->head_mask = FIRST_HEADS - 1;
	subset->heads = malloc(FIRST_HEADS * sizeof(uint32_t));
	subset->firsts = gm_grow(NULL, &subset->first_room, 1, sizeof(uint32_t));
	subset->seen = calloc(nfa->place_count + (size_t)1, sizeof(uint32_t));
	subset->work = calloc(nfa->place_count + (size_t)1, sizeof(uint32_t));
	subset->root_firsts = calloc((size_t)ROOTS * 256 + 1, sizeof(uint32_t));
	if (subset->heads && subset->firsts && subset->seen && subset->work &&
	    subset->root_firsts && list_roots(subset) == GM_MATCH_OK) {
		gm_subset_clear(subset);
		return GM_MATCH_OK;
	}
	gm_subset_free(subset);
	return GM_MATCH_MEMORY;
}

void gm_subset_free(struct gm_subset *subset)
{
	free(subset->firsts);
	free(subset->places);
	free(subset->chain);
	free(subset->heads);
	free(subset->seen);
	free(subset->work);
	free(subset->root_firsts);
	free(subset->root_targets);
	memset(subset, 0, sizeof(*subset));
}

uint64_t gm_subset_bytes(const struct gm_subset *subset)
{
	return sizeof(uint32_t) * ((uint64_t)subset->first_room + subset->place_room +
				   subset->chain_room + subset->head_mask);
}

static uint32_t hash(const uint32_t *places, uint32_t count)
{
	uint32_t value = count;

	for (uint32_t i = 0; i < count; i++)
		value = (value ^ places[i]) * UINT32_C(0x9E3779B1);
	return value ^ value >> 15;
}

/* Twice as many heads when there are more states than heads. */
static int rehash(struct gm_subset *subset)
{
	uint32_t mask = 2 * subset->head_mask + 1;
	uint32_t *heads;

	if (subset->state_count <= subset->head_mask)
		return GM_MATCH_OK;
	heads = realloc(subset->heads, (mask + (size_t)1) * sizeof(uint32_t));
	if (!heads)
		return GM_MATCH_MEMORY;
	subset->heads = heads;
	subset->head_mask = mask;
	memset(heads, 0xff, (mask + (size_t)1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < subset->state_count; i++) {
		uint32_t *head = &heads[hash(subset->places + subset->firsts[i],
					     subset->firsts[i + 1] - subset->firsts[i]) &
					mask];

		subset->chain[i] = *head;
		*head = i;
	}
	return GM_MATCH_OK;
}

static int add_state(struct gm_subset *subset, uint32_t *head)
{
	uint32_t count = subset->work_count;
	uint32_t state = subset->state_count;
	void *firsts = gm_grow(subset->firsts, &subset->first_room, state + 2, sizeof(uint32_t));
	void *chain = gm_grow(subset->chain, &subset->chain_room, state + 1, sizeof(uint32_t));
	void *places = gm_grow(subset->places, &subset->place_room, subset->place_count + count + 1,
			       sizeof(uint32_t));

	subset->firsts = firsts ? firsts : subset->firsts;
	subset->chain = chain ? chain : subset->chain;
	subset->places = places ? places : subset->places;
	if (!firsts || !chain || !places)
		return GM_MATCH_MEMORY;
	memcpy(subset->places + subset->place_count, subset->work, count * sizeof(uint32_t));
	subset->place_count += count;
	subset->state_count++;
	subset->firsts[state + 1] = subset->place_count;
	subset->chain[state] = *head;
	*head = state;
	return rehash(subset);
}

/* Insertion sort: what follows one place is mostly in order already. */
static void sort(uint32_t *numbers, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		uint32_t number = numbers[i];
		uint32_t at = i;

		for (; at > 0 && numbers[at - 1] > number; at--)
			numbers[at] = numbers[at - 1];
		numbers[at] = number;
	}
}

static int intern(struct gm_subset *subset, uint32_t *state)
{
	uint32_t count = subset->work_count;
	uint32_t *head;

	sort(subset->work, count);
	head = &subset->heads[hash(subset->work, count) & subset->head_mask];
	for (*state = *head; *state != NO_STATE; *state = subset->chain[*state]) {
		uint32_t first = subset->firsts[*state];

		if (subset->firsts[*state + 1] - first == count &&
		    (!count ||
		     memcmp(subset->places + first, subset->work, count * sizeof(uint32_t)) == 0))
			return GM_MATCH_OK;
	}
	*state = subset->state_count;
	return add_state(subset, head);
}

static void begin(struct gm_subset *subset)
{
	if (++subset->step == 0) {
		memset(subset->seen, 0, subset->nfa->place_count * sizeof(uint32_t));
		subset->step = 1;
	}
	subset->work_count = 0;
}

static void reach(struct gm_subset *subset, uint32_t place)
{
	if (subset->seen[place] == subset->step)
		return;
	subset->seen[place] = subset->step;
	subset->work[subset->work_count++] = place;
}

int gm_subset_state(struct gm_subset *subset, const uint32_t *places, uint32_t count,
		    uint32_t *state)
{
	begin(subset);
	for (uint32_t i = 0; i < count; i++)
		reach(subset, places[i]);
	return intern(subset, state);
}

static void reach_root(struct gm_subset *subset, int root)
{
	if (!gm_nfa_dead(subset->nfa, subset->nfa->roots[root]))
		reach(subset, subset->nfa->roots[root]);
}

int gm_subset_start(struct gm_subset *subset, uint32_t *state)
{
	begin(subset);
	reach_root(subset, GM_ROOT_START);
	return intern(subset, state);
}

static int root_of(const struct gm_nfa *nfa, uint32_t place)
{
	for (int root = 0; root < ROOTS; root++) {
		if (nfa->roots[root] == place)
			return root;
	}
	return -1;
}

static void follow(struct gm_subset *subset, uint32_t place, uint32_t byte_class)
{
	const struct gm_nfa *nfa = subset->nfa;
	const struct gm_place *at = &nfa->places[place];

	if (at[1].edges - at[0].edges > 8) {
		int root = root_of(nfa, place);

		if (root >= 0) {
			const uint32_t *firsts =
				subset->root_firsts + (size_t)root * 256 + byte_class;

			for (uint32_t i = firsts[0]; i < firsts[1]; i++)
				reach(subset, subset->root_targets[i]);
			return;
		}
	}
	for (uint32_t i = at[0].edges; i < at[1].edges; i++) {
		if (has_class(nfa, &nfa->edges[i], byte_class))
			reach(subset, nfa->edges[i].target);
	}
}

int gm_subset_step(struct gm_subset *subset, uint32_t state, uint32_t byte_class, uint32_t *target)
{
	int newline = subset->nfa->bytes[byte_class] == '\n';

	begin(subset);
	for (uint32_t i = subset->firsts[state]; i < subset->firsts[state + 1]; i++) {
		uint32_t place = subset->places[i];

		if (!subset->closed || !subset->closed[place])
			follow(subset, place, byte_class);
	}
	reach_root(subset, newline ? GM_ROOT_NEWLINE : GM_ROOT_OTHER);
	return intern(subset, target);
}
