/* SPDX-License-Identifier: Apache-2.0 */
#include "automaton/dfa.h"

#include "automaton/subset.h"
#include "common/grow.h"

#include <string.h>

enum { DEFAULT_STATES = 65535, DEFAULT_MEBIBYTES = 256 };

struct gm_match_bounds gm_bounds(const struct gm_match_bounds *bounds)
{
	struct gm_match_bounds full = *bounds;

	if (!full.max_states)
		full.max_states = DEFAULT_STATES;
	if (!full.max_bytes)
		full.max_bytes = (uint64_t)DEFAULT_MEBIBYTES << 20;
	return full;
}

struct builder {
	struct gm_dfa *dfa;
	struct gm_subset subset;
	struct gm_match_bounds bounds;
	uint32_t rows; /* states for which the tables have room */
	uint32_t reached; /* when a bound was met */
};

static uint64_t bytes_of(const struct builder *builder)
{
	uint64_t row = (builder->dfa->class_count + (uint64_t)3) * sizeof(uint32_t);

	return builder->rows * row + gm_subset_bytes(&builder->subset) +
	       builder->dfa->lists.id_room * (uint64_t)sizeof(uint32_t);
}

/* Room for a row of each state, doubled as an array is. */
static int make_rows(struct builder *builder)
{
	struct gm_dfa *dfa = builder->dfa;
	uint32_t rows = builder->rows ? 2 * builder->rows : 64;
	void *next;
	void *accepts;
	void *end_accepts;
	void *borders;

	if (builder->subset.state_count <= builder->rows)
		return GM_MATCH_OK;
	next = realloc(dfa->next, (size_t)rows * dfa->class_count * sizeof(uint32_t));
	dfa->next = next ? next : dfa->next;
	accepts = realloc(dfa->accepts, rows * sizeof(uint32_t));
	dfa->accepts = accepts ? accepts : dfa->accepts;
	end_accepts = realloc(dfa->end_accepts, rows * sizeof(uint32_t));
	dfa->end_accepts = end_accepts ? end_accepts : dfa->end_accepts;
	borders = realloc(dfa->borders, rows * sizeof(uint32_t));
	dfa->borders = borders ? borders : dfa->borders;
	if (!next || !accepts || !end_accepts || !borders)
		return GM_MATCH_MEMORY;
	builder->rows = rows;
	return GM_MATCH_OK;
}

enum list { ACCEPTS, END_ACCEPTS, BORDERS };

static int append_place(struct builder *builder, uint32_t place, enum list which)
{
	const struct gm_nfa *nfa = builder->subset.nfa;
	const struct gm_place *at = &nfa->places[place];
	uint32_t from = which == ACCEPTS ? at[0].accepts : at[0].end_accepts;
	uint32_t to = which == ACCEPTS ? at[1].accepts : at[1].end_accepts;
	const uint32_t *ids = which == ACCEPTS ? nfa->accepts : nfa->end_accepts;
	int status = GM_MATCH_OK;

	if (which == BORDERS)
		return builder->subset.closed && builder->subset.closed[place]
			       ? gm_lists_append(&builder->dfa->lists, place)
			       : GM_MATCH_OK;
	for (uint32_t i = from; i < to && status == GM_MATCH_OK; i++)
		status = gm_lists_append(&builder->dfa->lists, ids[i]);
	return status;
}

static int make_list(struct builder *builder, uint32_t state, enum list which, uint32_t *list)
{
	const struct gm_subset *subset = &builder->subset;
	int status = GM_MATCH_OK;

	for (uint32_t i = subset->firsts[state];
	     i < subset->firsts[state + 1] && status == GM_MATCH_OK; i++)
		status = append_place(builder, subset->places[i], which);
	return status == GM_MATCH_OK ? gm_lists_close(&builder->dfa->lists, list) : status;
}

/* One state's row and lists. */
static int expand(struct builder *builder, uint32_t state)
{
	struct gm_dfa *dfa = builder->dfa;
	int status = make_list(builder, state, ACCEPTS, &dfa->accepts[state]);

	if (status == GM_MATCH_OK)
		status = make_list(builder, state, END_ACCEPTS, &dfa->end_accepts[state]);
	if (status == GM_MATCH_OK)
		status = make_list(builder, state, BORDERS, &dfa->borders[state]);
	for (uint32_t i = 0; i < dfa->class_count && status == GM_MATCH_OK; i++) {
		uint32_t target;

		status = gm_subset_step(&builder->subset, state, i, &target);
		if (status == GM_MATCH_OK &&
		    builder->subset.state_count > builder->bounds.max_states)
			status = GM_MATCH_LIMIT;
		if (status == GM_MATCH_OK)
			status = make_rows(builder);
		if (status == GM_MATCH_OK)
			dfa->next[(size_t)state * dfa->class_count + i] = target;
	}
	return status;
}

static int construct(struct builder *builder)
{
	uint32_t start;
	int status = gm_subset_start(&builder->subset, &start);

	if (status == GM_MATCH_OK)
		status = make_rows(builder);
	for (uint32_t state = 0; status == GM_MATCH_OK && state < builder->subset.state_count;
	     state++) {
		if (bytes_of(builder) > builder->bounds.max_bytes)
			return GM_MATCH_LIMIT;
		status = expand(builder, state);
	}
	return status;
}

/* What minimisation needs besides the table: the moves backwards, and the blocks. */
static uint64_t minimize_bytes(const struct gm_dfa *dfa)
{
	return dfa->state_count * ((uint64_t)dfa->class_count * 2 + 16) * sizeof(uint32_t);
}

static int finish(struct builder *builder)
{
	struct gm_dfa *dfa = builder->dfa;
	uint64_t built = bytes_of(builder);

	dfa->state_count = builder->subset.state_count;
	dfa->subset_states = dfa->state_count;
	gm_subset_free(&builder->subset);
	dfa->peak_bytes = (dfa->class_count + (uint64_t)3) * dfa->state_count * sizeof(uint32_t) +
			  minimize_bytes(dfa);
	dfa->peak_bytes = dfa->peak_bytes > built ? dfa->peak_bytes : built;
	if (dfa->peak_bytes > builder->bounds.max_bytes)
		return GM_MATCH_LIMIT;
	return gm_dfa_minimize(dfa);
}

int gm_dfa_build(struct gm_dfa *dfa, const struct gm_nfa *nfa, const uint8_t *closed,
		 const struct gm_match_bounds *bounds, struct gm_match_error *error)
{
	struct builder builder = { dfa, { 0 }, gm_bounds(bounds), 0, 0 };
	int status;

	memset(dfa, 0, sizeof(*dfa));
	dfa->class_count = nfa->class_count;
	dfa->patterns = nfa->patterns;
	memcpy(dfa->classes, nfa->classes, sizeof(dfa->classes));
	status = gm_lists_init(&dfa->lists);
	if (status == GM_MATCH_OK)
		status = gm_subset_init(&builder.subset, nfa);
	builder.subset.closed = closed;
	if (status == GM_MATCH_OK)
		status = construct(&builder);
	builder.reached = builder.subset.state_count;
	if (status == GM_MATCH_OK)
		status = finish(&builder);
	gm_subset_free(&builder.subset);
	if (status == GM_MATCH_OK)
		return status;
	error->reason = status == GM_MATCH_LIMIT ? "the deterministic automaton is too large"
						 : "no memory";
	error->reached = builder.reached;
	gm_dfa_free(dfa);
	return status;
}
