/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source: M. Becchi, P. Crowley, "A hybrid finite automaton for practical deep packet inspection"
 * (2007).
 */
#include "match/hfa.h"

#include "match/engines.h"

#include <stdlib.h>
#include <string.h>

enum { WIDE_SET = 128, LONG_CHAIN = 8 };

static void hfa_free(void *engine)
{
	struct gm_hfa *hfa = engine;

	if (!hfa)
		return;
	gm_dfa_free(&hfa->head);
	gm_nfa_free(&hfa->nfa);
	gm_hits_free(&hfa->hits);
	free(hfa->firsts);
	free(hfa->targets);
	free(hfa->active);
	free(hfa->coming);
	free(hfa->stamps);
	free(hfa);
}

/* How many bytes lead from a place to another. */
static uint32_t width(const struct gm_nfa *nfa, uint32_t place, uint32_t target)
{
	uint32_t count = 0;

	for (uint32_t i = nfa->places[place].edges; i < nfa->places[place + 1].edges; i++) {
		if (nfa->edges[i].target == target)
			count += gm_byteset_count(&nfa->sets.sets[nfa->edges[i].set]);
	}
	return count;
}

/* The place to which a wide set leads from this one, UINT32_MAX if none does. */
static uint32_t next_wide(const struct gm_nfa *nfa, uint32_t place)
{
	for (uint32_t i = nfa->places[place].edges; i < nfa->places[place + 1].edges; i++) {
		uint32_t target = nfa->edges[i].target;

		if (target != place && width(nfa, place, target) >= WIDE_SET)
			return target;
	}
	return UINT32_MAX;
}

/* A wide set that repeats without bound, or eight times or more. */
static int is_border(const struct gm_nfa *nfa, uint32_t place)
{
	if (width(nfa, place, place) >= WIDE_SET)
		return 1;
	for (int i = 0; i < LONG_CHAIN; i++) {
		place = next_wide(nfa, place);
		if (place == UINT32_MAX)
			return 0;
	}
	return 1;
}

static int is_root(const struct gm_nfa *nfa, uint32_t place)
{
	return place == nfa->roots[GM_ROOT_START] || place == nfa->roots[GM_ROOT_OTHER] ||
	       place == nfa->roots[GM_ROOT_NEWLINE];
}

/* Lists the targets of every place and class. */
static int list_targets(struct gm_hfa *hfa)
{
	const struct gm_nfa *nfa = &hfa->nfa;
	size_t cells = (size_t)nfa->place_count * nfa->class_count;
	uint32_t at = 0;
	uint32_t room = 0;

	for (uint32_t i = 0; i < nfa->edge_count; i++) {
		for (uint32_t c = 0; c < nfa->class_count; c++)
			room += (uint32_t)gm_byteset_has(&nfa->sets.sets[nfa->edges[i].set],
							 nfa->bytes[c]);
	}
	hfa->firsts = calloc(cells + 1, sizeof(*hfa->firsts));
	hfa->targets = calloc(room + (size_t)1, sizeof(*hfa->targets));
	if (!hfa->firsts || !hfa->targets)
		return GM_MATCH_MEMORY;
	for (size_t cell = 0; cell < cells; cell++) {
		const struct gm_place *place = &nfa->places[cell / nfa->class_count];
		unsigned byte = nfa->bytes[cell % nfa->class_count];

		hfa->firsts[cell] = at;
		for (uint32_t i = place[0].edges; i < place[1].edges; i++) {
			if (gm_byteset_has(&nfa->sets.sets[nfa->edges[i].set], byte))
				hfa->targets[at++] = nfa->edges[i].target;
		}
	}
	hfa->firsts[cells] = at;
	return GM_MATCH_OK;
}

/* How many places can be reached from a border, itself among them. */
static uint32_t tail_size(struct gm_hfa *hfa, uint32_t border)
{
	const struct gm_nfa *nfa = &hfa->nfa;
	uint32_t count = 1;

	hfa->step++;
	hfa->active[0] = border;
	hfa->stamps[border] = hfa->step;
	for (uint32_t i = 0; i < count; i++) {
		const struct gm_place *place = &nfa->places[hfa->active[i]];

		for (uint32_t e = place[0].edges; e < place[1].edges; e++) {
			uint32_t target = nfa->edges[e].target;

			if (hfa->stamps[target] == hfa->step)
				continue;
			hfa->stamps[target] = hfa->step;
			hfa->active[count++] = target;
		}
	}
	return count;
}

/* The tails of the borders that states of the head have. */
static void count_tails(struct gm_hfa *hfa, const uint8_t *closed)
{
	const struct gm_lists *lists = &hfa->head.lists;

	for (uint32_t place = 0; place < hfa->nfa.place_count; place++) {
		int reached = 0;

		for (uint32_t state = 0; closed[place] && state < hfa->head.state_count; state++) {
			uint32_t list = hfa->head.borders[state];

			for (uint32_t i = lists->firsts[list]; i < lists->firsts[list + 1]; i++)
				reached |= lists->ids[i] == place;
		}
		if (!reached)
			continue;
		hfa->borders++;
		hfa->tail_states += tail_size(hfa, place);
	}
}

static int build_head(struct gm_hfa *hfa, const struct gm_match_bounds *bounds,
		      struct gm_match_error *error)
{
	const struct gm_nfa *nfa = &hfa->nfa;
	uint8_t *closed = calloc(nfa->place_count + (size_t)1, 1);
	int status = GM_MATCH_MEMORY;

	hfa->active = calloc(nfa->place_count + (size_t)1, sizeof(uint32_t));
	hfa->coming = calloc(nfa->place_count + (size_t)1, sizeof(uint32_t));
	hfa->stamps = calloc(nfa->place_count + (size_t)1, sizeof(uint32_t));
	for (uint32_t i = 0; closed && i < nfa->place_count; i++)
		closed[i] = !is_root(nfa, i) && is_border(nfa, i);
	if (closed && hfa->active && hfa->coming && hfa->stamps)
		status = gm_dfa_build(&hfa->head, nfa, closed, bounds, error);
	if (status == GM_MATCH_OK)
		count_tails(hfa, closed);
	free(closed);
	return status == GM_MATCH_OK ? list_targets(hfa) : status;
}

static void *hfa_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
		       struct gm_match_error *error)
{
	struct gm_hfa *hfa = calloc(1, sizeof(*hfa));
	struct gm_match_bounds full = gm_bounds(bounds);
	int status = hfa ? gm_nfa_build(&hfa->nfa, patterns, &full, error) : GM_MATCH_MEMORY;

	if (status == GM_MATCH_OK) {
		hfa->positions = patterns->positions;
		status = build_head(hfa, &full, error);
	}
	if (status == GM_MATCH_OK)
		status = gm_hits_init(&hfa->hits, patterns->count);
	if (status == GM_MATCH_OK)
		return hfa;
	error->reason = error->reason ? error->reason : "no memory";
	hfa_free(hfa);
	return NULL;
}

static uint64_t hfa_bytes(const void *engine)
{
	const struct gm_hfa *hfa = engine;
	size_t cells = (size_t)hfa->nfa.place_count * hfa->nfa.class_count;

	return sizeof(uint32_t) *
	       ((uint64_t)hfa->head.state_count * (hfa->head.class_count + 3) + cells +
		hfa->firsts[cells] + 3 * (uint64_t)hfa->nfa.place_count + hfa->head.lists.id_count);
}

static void hfa_count(const void *engine, struct gm_counters *counters)
{
	const struct gm_hfa *hfa = engine;

	gm_counters_add(counters, "positions", hfa->positions);
	gm_counters_add(counters, "subset_states", hfa->head.subset_states);
	gm_counters_add(counters, "states", hfa->head.state_count + hfa->tail_states);
	gm_counters_add(counters, "head_states", hfa->head.state_count);
	gm_counters_add(counters, "tail_states", hfa->tail_states);
	gm_counters_add(counters, "tails", hfa->borders);
	gm_counters_add(counters, "classes", hfa->head.class_count);
	gm_counters_add(counters, "build_peak_bytes", hfa->head.peak_bytes);
	gm_counters_add(counters, "active_tail_places", hfa->active_sum);
	gm_counters_add(counters, "most_active_tail_places", hfa->active_most);
	gm_counters_add(counters, "scanned_bytes", hfa->bytes);
}

const struct gm_engine gm_engine_hfa = {
	"hfa",	   "a deterministic head and tails of places",
	hfa_build, gm_hfa_scan,
	hfa_count, hfa_bytes,
	hfa_free,
};
