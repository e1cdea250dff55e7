/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For each byte: the active places of the tails go on, then the head, and then the head's new state
 * starts tails, which read from the next byte on.
 */
#include "match/hfa.h"

#include "gm/records.h"
#include "match/engines.h"

#include <string.h>

static void begin_step(struct gm_hfa *hfa)
{
	if (++hfa->step == 0) {
		memset(hfa->stamps, 0, hfa->nfa.place_count * sizeof(uint32_t));
		hfa->step = 1;
	}
	hfa->coming_count = 0;
}

/* A place of a tail becomes active after the byte at hand, once. */
static void reach(struct gm_hfa *hfa, uint32_t place)
{
	const struct gm_place *at = &hfa->nfa.places[place];

	if (hfa->stamps[place] == hfa->step)
		return;
	hfa->stamps[place] = hfa->step;
	hfa->coming[hfa->coming_count++] = place;
	for (uint32_t i = at[0].accepts; i < at[1].accepts; i++)
		gm_hits_add(&hfa->hits, hfa->nfa.accepts[i]);
}

static void step_tails(struct gm_hfa *hfa, uint32_t byte_class)
{
	for (uint32_t i = 0; i < hfa->active_count; i++) {
		const uint32_t *firsts =
			hfa->firsts + (size_t)hfa->active[i] * hfa->nfa.class_count + byte_class;

		for (uint32_t j = firsts[0]; j < firsts[1]; j++)
			reach(hfa, hfa->targets[j]);
	}
}

static void add_list(struct gm_hfa *hfa, uint32_t list)
{
	const struct gm_lists *lists = &hfa->head.lists;

	for (uint32_t i = lists->firsts[list]; i < lists->firsts[list + 1]; i++)
		gm_hits_add(&hfa->hits, lists->ids[i]);
}

/* What comes with a state of the head: what it accepts, and the tails that it starts. */
static void enter(struct gm_hfa *hfa, uint32_t state)
{
	const struct gm_lists *lists = &hfa->head.lists;
	uint32_t list = hfa->head.borders[state];

	if (hfa->head.accepts[state])
		add_list(hfa, hfa->head.accepts[state]);
	for (uint32_t i = lists->firsts[list]; i < lists->firsts[list + 1]; i++)
		reach(hfa, lists->ids[i]);
}

static void swap(struct gm_hfa *hfa)
{
	uint32_t *active = hfa->active;

	hfa->active = hfa->coming;
	hfa->coming = active;
	hfa->active_count = hfa->coming_count;
	hfa->active_sum += hfa->active_count;
	if (hfa->active_count > hfa->active_most)
		hfa->active_most = hfa->active_count;
}

static void finish(struct gm_hfa *hfa, uint32_t state)
{
	add_list(hfa, hfa->head.end_accepts[state]);
	for (uint32_t i = 0; i < hfa->active_count; i++) {
		const struct gm_place *at = &hfa->nfa.places[hfa->active[i]];

		for (uint32_t j = at[0].end_accepts; j < at[1].end_accepts; j++)
			gm_hits_add(&hfa->hits, hfa->nfa.end_accepts[j]);
	}
}

static void scan_record(struct gm_hfa *hfa, const uint8_t *at, const uint8_t *end)
{
	const struct gm_dfa *head = &hfa->head;
	uint32_t state = 0;

	begin_step(hfa);
	enter(hfa, state);
	swap(hfa);
	for (; at < end; at++) {
		uint32_t byte_class = head->classes[*at];

		state = head->next[(size_t)state * head->class_count + byte_class];
		if (!hfa->active_count && !(head->accepts[state] | head->borders[state]))
			continue;
		begin_step(hfa);
		step_tails(hfa, byte_class);
		enter(hfa, state);
		swap(hfa);
	}
	finish(hfa, state);
}

int gm_hfa_scan(void *engine, const struct gm_records *records, struct gm_result *result)
{
	struct gm_hfa *hfa = engine;

	for (uint32_t i = 0; i < records->count; i++) {
		scan_record(hfa, records->bytes + records->offsets[i],
			    records->bytes + records->offsets[i + 1]);
		if (gm_result_close(result, i, &hfa->hits) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
	}
	hfa->bytes += records->size;
	return GM_MATCH_OK;
}
