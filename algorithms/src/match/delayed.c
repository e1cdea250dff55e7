/* SPDX-License-Identifier: Apache-2.0 */
#include "match/delayed.h"

#include "common/bits.h"
#include "match/engines.h"
#include "match/lanes.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE = 32, MOST_STATES = 5000 };

uint32_t gm_common(const struct gm_dfa *dfa, const uint32_t *weights, uint32_t state,
		   uint32_t other)
{
	const uint32_t *left = dfa->next + (size_t)state * dfa->class_count;
	const uint32_t *right = dfa->next + (size_t)other * dfa->class_count;
	uint32_t common = 0;

	for (uint32_t i = 0; i < dfa->class_count; i++)
		common += left[i] == right[i] ? weights[i] : 0;
	return common;
}

void gm_delayed_free(void *engine)
{
	struct gm_delayed *delayed = engine;

	if (!delayed)
		return;
	gm_dfa_free(&delayed->dfa);
	gm_lanes_hits_free(delayed->hits);
	free(delayed->pieces);
	free(delayed->targets);
	free(delayed->order);
	free(delayed);
}

static int keeps(const struct gm_dfa *dfa, const uint32_t *defaults, uint32_t state, uint32_t i)
{
	size_t row = dfa->class_count;

	return defaults[state] == GM_NO_DEFAULT ||
	       dfa->next[state * row + i] != dfa->next[defaults[state] * row + i];
}

/* 0: only steps; 1: accepts; 2: nothing can follow. */
static uint32_t kind_of(const struct gm_dfa *dfa, uint32_t state)
{
	const uint32_t *next = dfa->next + (size_t)state * dfa->class_count;

	for (uint32_t i = 0; i < dfa->class_count; i++) {
		if (next[i] != state)
			return dfa->accepts[state] ? 1 : 0;
	}
	return 2;
}

/* Numbers the states: those that only step, those that accept, those without a way out. */
static void number(struct gm_delayed *delayed, uint32_t *numbers)
{
	const struct gm_dfa *dfa = &delayed->dfa;
	uint32_t at = 0;

	for (uint32_t kind = 0; kind < 3; kind++) {
		for (uint32_t state = 0; state < dfa->state_count; state++) {
			if (kind_of(dfa, state) != kind)
				continue;
			delayed->order[at] = state;
			numbers[state] = at++ * delayed->pieces_a_state;
		}
		if (kind == 0)
			delayed->events = at * delayed->pieces_a_state;
		if (kind == 1)
			delayed->dead = at * delayed->pieces_a_state;
	}
	delayed->start = numbers[0];
}

/* Fills the pieces and targets of one state. */
static void fill(struct gm_delayed *delayed, const uint32_t *numbers, const uint32_t *defaults,
		 const uint32_t *weights, uint32_t state)
{
	const struct gm_dfa *dfa = &delayed->dfa;
	struct gm_delayed_piece *pieces = delayed->pieces + numbers[state];
	uint32_t otherwise = defaults[state];

	delayed->defaults += otherwise != GM_NO_DEFAULT;
	for (uint32_t i = 0; i < delayed->pieces_a_state; i++) {
		pieces[i].otherwise = otherwise == GM_NO_DEFAULT ? 0 : numbers[otherwise];
		pieces[i].targets = delayed->target_count;
		for (uint32_t c = i * PIECE; c < (i + 1) * PIECE && c < dfa->class_count; c++) {
			if (!keeps(dfa, defaults, state, c))
				continue;
			pieces[i].kept |= UINT32_C(1) << (c % PIECE);
			delayed->targets[delayed->target_count++] =
				numbers[dfa->next[(size_t)state * dfa->class_count + c]];
			delayed->labelled += weights[c];
		}
	}
}

static void find_longest(struct gm_delayed *delayed, const uint32_t *defaults)
{
	for (uint32_t state = 0; state < delayed->dfa.state_count; state++) {
		uint32_t length = 0;

		for (uint32_t at = state; defaults[at] != GM_NO_DEFAULT; at = defaults[at])
			length++;
		delayed->longest = length > delayed->longest ? length : delayed->longest;
	}
}

static uint32_t count_kept(const struct gm_dfa *dfa, const uint32_t *defaults)
{
	uint32_t kept = 0;

	for (uint32_t state = 0; state < dfa->state_count; state++) {
		for (uint32_t i = 0; i < dfa->class_count; i++)
			kept += (uint32_t)keeps(dfa, defaults, state, i);
	}
	return kept;
}

static int make_tables(struct gm_delayed *delayed, const uint32_t *defaults,
		       const uint32_t *weights)
{
	struct gm_dfa *dfa = &delayed->dfa;
	uint32_t *numbers = calloc(dfa->state_count + (size_t)1, sizeof(*numbers));

	delayed->pieces_a_state = (dfa->class_count + PIECE - 1) / PIECE;
	delayed->order = calloc(dfa->state_count + (size_t)1, sizeof(*delayed->order));
	delayed->pieces = calloc((size_t)dfa->state_count * delayed->pieces_a_state + 1,
				 sizeof(*delayed->pieces));
	/* A visit that takes the default loads a target all the same: some past the last. */
	delayed->targets =
		calloc(count_kept(dfa, defaults) + (size_t)PIECE, sizeof(*delayed->targets));
	if (!numbers || !delayed->order || !delayed->pieces || !delayed->targets) {
		free(numbers);
		return GM_MATCH_MEMORY;
	}
	number(delayed, numbers);
	for (uint32_t state = 0; state < dfa->state_count; state++)
		fill(delayed, numbers, defaults, weights, state);
	find_longest(delayed, defaults);
	free(numbers);
	return GM_MATCH_OK;
}

static int choose_defaults(struct gm_delayed *delayed, const struct gm_match_bounds *bounds,
			   struct gm_match_error *error, gm_defaults *choose)
{
	struct gm_dfa *dfa = &delayed->dfa;
	uint32_t weights[256] = { 0 };
	uint32_t *defaults = malloc((dfa->state_count + (size_t)1) * sizeof(*defaults));
	int status = GM_MATCH_MEMORY;

	for (unsigned byte = 0; byte < 256; byte++)
		weights[dfa->classes[byte]]++;
	if (defaults)
		status = choose(dfa, weights, bounds, defaults, error);
	if (status == GM_MATCH_OK)
		status = make_tables(delayed, defaults, weights);
	free(defaults);
	free(dfa->next);
	dfa->next = NULL;
	return status;
}

void *gm_delayed_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
		       struct gm_match_error *error, gm_defaults *choose)
{
	struct gm_delayed *delayed = calloc(1, sizeof(*delayed));
	struct gm_match_bounds full = gm_bounds(bounds);
	struct gm_nfa nfa;
	int status = delayed ? gm_nfa_build(&nfa, patterns, &full, error) : GM_MATCH_MEMORY;

	if (full.max_states > MOST_STATES)
		full.max_states = MOST_STATES;
	if (status == GM_MATCH_OK) {
		delayed->positions = patterns->positions;
		status = gm_dfa_build(&delayed->dfa, &nfa, NULL, &full, error);
		if (status == GM_MATCH_LIMIT && error->reached >= MOST_STATES)
			error->reason = "more than 5000 states, and defaults compare each with "
					"each: take engine=dfa or lazy";
		gm_nfa_free(&nfa);
	}
	if (status == GM_MATCH_OK)
		status = choose_defaults(delayed, &full, error, choose);
	if (status == GM_MATCH_OK)
		delayed->hits = gm_lanes_hits(patterns->count);
	if (status == GM_MATCH_OK && delayed->hits)
		return delayed;
	error->reason = error->reason ? error->reason : "no memory";
	gm_delayed_free(delayed);
	return NULL;
}

uint64_t gm_delayed_bytes(const void *engine)
{
	const struct gm_delayed *delayed = engine;
	uint64_t pieces = (uint64_t)delayed->dfa.state_count * delayed->pieces_a_state;

	return pieces * sizeof(struct gm_delayed_piece) +
	       ((uint64_t)delayed->target_count + 3 * (uint64_t)delayed->dfa.state_count +
		delayed->dfa.lists.id_count) *
		       sizeof(uint32_t) +
	       sizeof(delayed->dfa.classes);
}

void gm_delayed_count(const void *engine, struct gm_counters *counters)
{
	const struct gm_delayed *delayed = engine;

	gm_counters_add(counters, "positions", delayed->positions);
	gm_counters_add(counters, "subset_states", delayed->dfa.subset_states);
	gm_counters_add(counters, "states", delayed->dfa.state_count);
	gm_counters_add(counters, "classes", delayed->dfa.class_count);
	gm_counters_add(counters, "labelled_transitions", delayed->labelled);
	gm_counters_add(counters, "default_transitions", delayed->defaults);
	gm_counters_add(counters, "trees", delayed->dfa.state_count - delayed->defaults);
	gm_counters_add(counters, "longest_default_path", delayed->longest);
	gm_counters_add(counters, "build_peak_bytes", delayed->dfa.peak_bytes);
	gm_counters_add(counters, "hops", delayed->visits - delayed->bytes);
	gm_counters_add(counters, "scanned_bytes", delayed->bytes);
}

uint32_t gm_delayed_next(const struct gm_delayed *delayed, uint32_t state, uint8_t byte)
{
	uint32_t byte_class = delayed->dfa.classes[byte];
	uint32_t bit = UINT32_C(1) << (byte_class % PIECE);
	uint32_t at = 0;
	const struct gm_delayed_piece *piece;

	while (delayed->order[at] != state)
		at++;
	at *= delayed->pieces_a_state;
	piece = &delayed->pieces[at + byte_class / PIECE];
	while (!(piece->kept & bit))
		piece = &delayed->pieces[piece->otherwise + byte_class / PIECE];
	at = delayed->targets[piece->targets + gm_rank32(piece->kept, byte_class % PIECE)];
	return delayed->order[at / delayed->pieces_a_state];
}
