/* SPDX-License-Identifier: Apache-2.0 */
/* Each pattern becomes a program of steps; the closure of a step is a place. */
#include "automaton/nfa.h"

#include "automaton/steps.h"
#include "common/grow.h"

#include <string.h>

#define NONE UINT32_MAX

void gm_nfa_free(struct gm_nfa *nfa)
{
	free(nfa->places);
	free(nfa->edges);
	free(nfa->accepts);
	free(nfa->end_accepts);
	gm_forest_free(&nfa->sets);
	memset(nfa, 0, sizeof(*nfa));
}

uint64_t gm_nfa_bytes(const struct gm_nfa *nfa)
{
	return nfa->place_room * (uint64_t)sizeof(struct gm_place) +
	       nfa->edge_room * (uint64_t)sizeof(struct gm_edge) +
	       ((uint64_t)nfa->accept_room + nfa->end_room) * sizeof(uint32_t) +
	       nfa->sets.set_room * (uint64_t)(sizeof(struct gm_byteset) + sizeof(uint32_t));
}

int gm_nfa_dead(const struct gm_nfa *nfa, uint32_t place)
{
	const struct gm_place *at = &nfa->places[place];

	return at[0].edges == at[1].edges && at[0].accepts == at[1].accepts &&
	       at[0].end_accepts == at[1].end_accepts;
}

/* A place's edges and accepts begin here: those of the place before end. */
static int open_place(struct gm_nfa *nfa)
{
	void *grown = gm_grow(nfa->places, &nfa->place_room, nfa->place_count + 2,
			      sizeof(struct gm_place));
	struct gm_place *place;

	if (!grown)
		return GM_MATCH_MEMORY;
	nfa->places = grown;
	place = &nfa->places[nfa->place_count++];
	place->edges = nfa->edge_count;
	place->accepts = nfa->accept_count;
	place->end_accepts = nfa->end_count;
	return GM_MATCH_OK;
}

static void close_places(struct gm_nfa *nfa)
{
	struct gm_place *end = &nfa->places[nfa->place_count];

	end->edges = nfa->edge_count;
	end->accepts = nfa->accept_count;
	end->end_accepts = nfa->end_count;
}

static int add_edge(struct gm_nfa *nfa, uint32_t set, uint32_t target)
{
	void *grown =
		gm_grow(nfa->edges, &nfa->edge_room, nfa->edge_count + 1, sizeof(struct gm_edge));

	if (!grown)
		return GM_MATCH_MEMORY;
	nfa->edges = grown;
	if (set == NONE)
		return GM_MATCH_MEMORY;
	nfa->edges[nfa->edge_count].set = set;
	nfa->edges[nfa->edge_count++].target = target;
	return GM_MATCH_OK;
}

static int add_number(uint32_t **numbers, uint32_t *count, uint32_t *room, uint32_t number)
{
	void *grown = gm_grow(*numbers, room, *count + 1, sizeof(uint32_t));

	if (!grown)
		return GM_MATCH_MEMORY;
	*numbers = grown;
	(*numbers)[(*count)++] = number;
	return GM_MATCH_OK;
}

/* The part of a step's set that is, or is not, a newline; NONE for an empty part. */
static int add_part(struct gm_nfa *nfa, const struct gm_byteset *whole, int newline,
		    uint32_t target)
{
	struct gm_byteset part = { { 0 } };
	uint32_t bit = UINT32_C(1) << ('\n' & 31);

	if (target == GM_PLACE_DEAD)
		return GM_MATCH_OK;
	if (newline) {
		part.words['\n' >> 5] = whole->words['\n' >> 5] & bit;
	} else {
		part = *whole;
		part.words['\n' >> 5] &= ~bit;
	}
	if (!gm_byteset_count(&part))
		return GM_MATCH_OK;
	return add_edge(nfa, gm_forest_set(&nfa->sets, &part), target);
}

/* The edges of one step of a place: all its bytes lead to one place, or a newline to another. */
static int add_step(struct gm_nfa *nfa, struct gm_steps *steps, const struct gm_byteset *set,
		    const struct gm_exit *exit)
{
	uint32_t after = GM_PLACE_DEAD;
	uint32_t newline = GM_PLACE_DEAD;
	int status = GM_MATCH_OK;

	if (!gm_byteset_count(set))
		return GM_MATCH_OK;
	if (exit->level == GM_LEVEL_NONE)
		status = gm_steps_place(steps, exit->next, GM_AFTER_OTHER, &after);
	if (status == GM_MATCH_OK)
		status = gm_steps_place(steps, exit->next,
					exit->level == GM_LEVEL_LAST_LINE_END ? GM_AFTER_LAST
									      : GM_AFTER_NEWLINE,
					&newline);
	if (status != GM_MATCH_OK)
		return status;
	if (after == newline && after != GM_PLACE_DEAD)
		return add_edge(nfa, gm_forest_set(&nfa->sets, set), after);
	status = add_part(nfa, set, 0, after);
	return status == GM_MATCH_OK ? add_part(nfa, set, 1, newline) : status;
}

static int add_accepts(struct gm_nfa *nfa, struct gm_steps *steps, enum gm_level level, uint32_t id)
{
	static const struct gm_byteset newline = { { UINT32_C(1) << '\n' } };
	uint32_t target;
	int status;

	if (level == GM_LEVEL_NEVER)
		return GM_MATCH_OK;
	if (level == GM_LEVEL_NONE)
		return add_number(&nfa->accepts, &nfa->accept_count, &nfa->accept_room, id);
	status = add_number(&nfa->end_accepts, &nfa->end_count, &nfa->end_room, id);
	if (status != GM_MATCH_OK || level == GM_LEVEL_END)
		return status;
	/* A line that ends here: a newline shows it, or the last newline. */
	status = gm_steps_accept(steps, level == GM_LEVEL_LINE_END ? GM_LEVEL_NONE : GM_LEVEL_END,
				 &target);
	if (status != GM_MATCH_OK)
		return status;
	return add_edge(nfa, gm_forest_set(&nfa->sets, &newline), target);
}

/* The places of one pattern, worked off as they are found. */
static int add_places(struct gm_nfa *nfa, struct gm_steps *steps, uint32_t id, uint64_t max_bytes)
{
	for (uint32_t i = steps->done; i < steps->closure_count; i++, steps->done = i) {
		struct gm_closure closure = steps->closures[i];
		int status = open_place(nfa);

		if (status == GM_MATCH_OK)
			status = add_accepts(nfa, steps, closure.accept, id);
		for (uint32_t j = 0; j < closure.count && status == GM_MATCH_OK; j++) {
			struct gm_exit exit = steps->exits[closure.exits + j];

			status = add_step(nfa, steps, &steps->forest->sets[exit.set], &exit);
		}
		if (status != GM_MATCH_OK)
			return status;
		if (gm_nfa_bytes(nfa) > max_bytes)
			return GM_MATCH_LIMIT;
		close_places(nfa);
	}
	return GM_MATCH_OK;
}

/* A pattern's three starts, and its places. */
static int add_pattern(struct gm_nfa *nfa, struct gm_steps *steps, uint32_t id, uint32_t root,
		       uint32_t starts[3])
{
	static const enum gm_after after[] = { GM_AFTER_START, GM_AFTER_OTHER, GM_AFTER_NEWLINE };
	int status = gm_steps_compile(steps, root, nfa->place_count);

	for (int i = 0; i < 3 && status == GM_MATCH_OK; i++)
		status = gm_steps_place(steps, steps->entry, after[i], &starts[i]);
	if (status == GM_MATCH_OK)
		status = add_places(nfa, steps, id, steps->max_bytes);
	return status;
}

/* Copies a pattern's start to the root that is being made. */
static int join_root(struct gm_nfa *nfa, uint32_t start)
{
	struct gm_place from;
	struct gm_place to;
	int status = GM_MATCH_OK;

	if (start == GM_PLACE_DEAD)
		return status;
	from = nfa->places[start];
	to = nfa->places[start + 1];
	for (uint32_t i = from.edges; i < to.edges && status == GM_MATCH_OK; i++)
		status = add_edge(nfa, nfa->edges[i].set, nfa->edges[i].target);
	for (uint32_t i = from.accepts; i < to.accepts && status == GM_MATCH_OK; i++)
		status = add_number(&nfa->accepts, &nfa->accept_count, &nfa->accept_room,
				    nfa->accepts[i]);
	for (uint32_t i = from.end_accepts; i < to.end_accepts && status == GM_MATCH_OK; i++)
		status = add_number(&nfa->end_accepts, &nfa->end_count, &nfa->end_room,
				    nfa->end_accepts[i]);
	return status;
}

/* A pattern that accepts before the first byte needs no restart. */
static int found_at_once(const struct gm_nfa *nfa, uint32_t start)
{
	return start != GM_PLACE_DEAD &&
	       nfa->places[start].accepts != nfa->places[start + 1].accepts;
}

static int same_root(const struct gm_nfa *nfa, const uint32_t *starts, int start_kind,
		     int other_kind)
{
	for (uint32_t id = 0; id < nfa->patterns; id++) {
		const uint32_t *start = starts + 3 * (size_t)id;

		if (start[start_kind] != start[other_kind])
			return 0;
	}
	return 1;
}

static int add_root(struct gm_nfa *nfa, const uint32_t *starts, int kind)
{
	int status = open_place(nfa);

	nfa->roots[kind] = nfa->place_count - 1;
	for (uint32_t id = 0; id < nfa->patterns && status == GM_MATCH_OK; id++)
		status = join_root(nfa, starts[3 * (size_t)id + (size_t)kind]);
	if (status == GM_MATCH_OK)
		close_places(nfa);
	return status;
}

static int add_roots(struct gm_nfa *nfa, uint32_t *starts)
{
	for (uint32_t id = 0; id < nfa->patterns; id++) {
		uint32_t *start = starts + 3 * (size_t)id;

		if (found_at_once(nfa, start[GM_ROOT_START])) {
			start[GM_ROOT_OTHER] = GM_PLACE_DEAD;
			start[GM_ROOT_NEWLINE] = GM_PLACE_DEAD;
		}
	}
	for (int kind = 0; kind < 3; kind++) {
		int same = 0;
		int status;

		while (same < kind && !same_root(nfa, starts, same, kind))
			same++;
		nfa->roots[kind] = nfa->roots[same];
		if (same < kind)
			continue;
		status = add_root(nfa, starts, kind);
		if (status != GM_MATCH_OK)
			return status;
	}
	return GM_MATCH_OK;
}

/* Splits each class into the bytes that the set has and those that it has not. */
static void refine(struct gm_nfa *nfa, const struct gm_byteset *set)
{
	uint16_t names[512];
	uint32_t count = 0;

	memset(names, 0xff, sizeof(names));
	for (unsigned byte = 0; byte < 256; byte++) {
		unsigned part = nfa->classes[byte] * 2U + (unsigned)gm_byteset_has(set, byte);

		if (names[part] == 0xffff) {
			nfa->bytes[count] = (uint8_t)byte;
			names[part] = (uint16_t)count++;
		}
		nfa->classes[byte] = (uint8_t)names[part];
	}
	nfa->class_count = count;
}

static void find_classes(struct gm_nfa *nfa)
{
	static const struct gm_byteset newline = { { UINT32_C(1) << '\n' } };

	memset(nfa->classes, 0, sizeof(nfa->classes));
	nfa->class_count = 1;
	nfa->bytes[0] = 0;
	for (uint32_t i = 0; i < nfa->sets.set_count; i++)
		refine(nfa, &nfa->sets.sets[i]);
	if (nfa->roots[GM_ROOT_OTHER] != nfa->roots[GM_ROOT_NEWLINE])
		refine(nfa, &newline);
}

static void report(struct gm_match_error *error, int status, uint32_t line, uint64_t bytes)
{
	error->reason = status == GM_MATCH_LIMIT ? "the automaton of its places is too large"
						 : "no memory";
	error->line = line;
	error->reached = bytes;
}

int gm_nfa_build(struct gm_nfa *nfa, const struct gm_patterns *patterns,
		 const struct gm_match_bounds *bounds, struct gm_match_error *error)
{
	struct gm_steps steps;
	uint32_t *starts = calloc(3 * (size_t)patterns->count + 1, sizeof(*starts));
	int status = starts ? GM_MATCH_OK : GM_MATCH_MEMORY;
	uint32_t line = 0;

	memset(nfa, 0, sizeof(*nfa));
	gm_forest_init(&nfa->sets);
	gm_steps_init(&steps, patterns->forest, bounds->max_bytes);
	nfa->patterns = patterns->count;
	for (uint32_t id = 0; id < patterns->count && status == GM_MATCH_OK; id++) {
		line = patterns->patterns[id].line;
		status = add_pattern(nfa, &steps, id, patterns->patterns[id].root,
				     starts + 3 * (size_t)id);
	}
	if (status == GM_MATCH_OK)
		status = add_roots(nfa, starts);
	gm_steps_free(&steps);
	free(starts);
	if (status == GM_MATCH_OK) {
		find_classes(nfa);
		return status;
	}
	report(error, status, line, gm_nfa_bytes(nfa));
	gm_nfa_free(nfa);
	return status;
}
