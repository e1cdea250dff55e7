/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records through the lazy DFA, several in turn. The loop leaves at a cell that is not made yet; then
 * the state is made, and the loop goes on where it was.
 */
#include "match/lazy.h"

#include <string.h>

/* Below so many bytes for each state of the cache between two flushes, the cache does not pay. */
enum { BYTES_A_STATE = 10 };

static void accepts_report(struct gm_lazy *lazy, struct gm_hits *hits, uint32_t row)
{
	const struct gm_lazy_state *state = gm_lazy_state(lazy, row);
	const uint32_t *ids = lazy->pool + state->set + state->places;

	for (uint32_t i = 0; i < state->accepts; i++)
		gm_hits_add(hits, ids[i]);
}

static void places_report(const struct gm_nfa *nfa, struct gm_hits *hits, const uint32_t *places,
			  uint32_t count, int end)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct gm_place *place = &nfa->places[places[i]];

		for (uint32_t at = place[0].accepts; at < place[1].accepts; at++)
			gm_hits_add(hits, nfa->accepts[at]);
		for (uint32_t at = place[0].end_accepts; end && at < place[1].end_accepts; at++)
			gm_hits_add(hits, nfa->end_accepts[at]);
	}
}

/*
 * Moves `count` lanes by at most `steps` bytes. Returns the lane whose next cell is not made yet, or
 * `count`; then all moved by `steps`.
 */
static inline uint32_t moved(struct gm_lazy *lazy, uint32_t count, uint32_t steps)
{
	const uint32_t *next = lazy->next;
	const uint8_t *classes = lazy->nfa.classes;
	const uint8_t *text[GM_LAZY_LANES];
	uint32_t row[GM_LAZY_LANES];
	uint32_t step = 0;
	uint32_t stop = count;

	for (uint32_t i = 0; i < count; i++) {
		text[i] = lazy->lanes[i].text;
		row[i] = lazy->lanes[i].row;
	}
	for (; step < steps && stop == count; step++) {
		for (uint32_t i = 0; i < count; i++) {
			uint32_t cell = next[row[i] + classes[text[i][step]]];

			/* Either 0 or marked. */
			if (cell - 1 >= GM_LAZY_ACCEPTS - 1) {
				if (!cell) {
					stop = i;
					break;
				}
				accepts_report(lazy, &lazy->lanes[i].hits, cell);
				cell &= ~GM_LAZY_ACCEPTS;
			}
			row[i] = cell;
		}
	}
	for (uint32_t i = 0; i < count; i++) {
		/* The lane that stopped, and those after it, did not read the last byte. */
		uint32_t read = step - (i >= stop);

		lazy->lanes[i].row = row[i];
		lazy->lanes[i].text += read;
		lazy->lanes[i].left -= read;
	}
	lazy->bytes_read += (uint64_t)step * count;
	return stop;
}

static uint32_t all_moved(struct gm_lazy *lazy, uint32_t steps)
{
	return moved(lazy, GM_LAZY_LANES, steps);
}

/* The same for lane 0 alone. */
static uint32_t one_moved(struct gm_lazy *lazy, uint32_t steps)
{
	return moved(lazy, 1, steps);
}

/* The rest of a lane's record by sets of places. */
static void lane_simulate(struct gm_lazy *lazy, struct gm_lazy_lane *lane)
{
	const struct gm_lazy_state *state = gm_lazy_state(lazy, lane->row);
	uint32_t count = state->places;

	memcpy(lazy->other, lazy->pool + state->set, count * sizeof(uint32_t));
	for (; lane->left; lane->left--) {
		uint32_t *places = lazy->other;

		gm_lazy_follow(lazy, places, count, lazy->nfa.classes[*lane->text++]);
		count = lazy->count;
		places_report(&lazy->nfa, &lane->hits, lazy->set, count, 0);
		lazy->other = lazy->set;
		lazy->set = places;
		lazy->simulated++;
	}
	places_report(&lazy->nfa, &lane->hits, lazy->other, count, 1);
	/* Its end is reported already: the row is none, and an emptied cache does not keep it. */
	lane->row = 0;
}

static void cache_renew(struct gm_lazy *lazy)
{
	int pays = lazy->bytes_read >= (uint64_t)BYTES_A_STATE * lazy->room;

	for (uint32_t i = 0; i < lazy->lanes_used && !pays; i++) {
		if (lazy->lanes[i].used && lazy->lanes[i].row)
			lane_simulate(lazy, &lazy->lanes[i]);
	}
	gm_lazy_flush(lazy);
	lazy->bytes_read = 0;
}

/* Makes the state that a lane's next byte leads to, and its cell. */
static void cell_make(struct gm_lazy *lazy, struct gm_lazy_lane *lane)
{
	uint32_t class = lazy->nfa.classes[*lane->text];
	const struct gm_lazy_state *state = gm_lazy_state(lazy, lane->row);
	uint32_t cell;

	gm_lazy_follow(lazy, lazy->pool + state->set, state->places, class);
	cell = gm_lazy_state_of_set(lazy);
	if (cell)
		lazy->next[lane->row + class] = cell;
	else
		cache_renew(lazy);
}

static void lane_begin(struct gm_lazy *lazy, struct gm_lazy_lane *lane,
		       const struct gm_records *records, uint32_t record)
{
	lane->text = records->bytes + records->offsets[record];
	lane->left = records->offsets[record + 1] - records->offsets[record];
	lane->record = record;
	lane->used = 0;
	while (!lazy->start) {
		gm_lazy_begin(lazy);
		lazy->start = gm_lazy_state_of_set(lazy);
		if (!lazy->start)
			gm_lazy_flush(lazy);
	}
	if (lazy->start & GM_LAZY_ACCEPTS)
		accepts_report(lazy, &lane->hits, lazy->start);
	lane->row = lazy->start & ~GM_LAZY_ACCEPTS;
	lane->used = 1;
}

static int lane_end(struct gm_lazy *lazy, struct gm_lazy_lane *lane, struct gm_result *result)
{
	const struct gm_lazy_state *state = gm_lazy_state(lazy, lane->row);

	lane->used = 0;
	if (lane->row)
		places_report(&lazy->nfa, &lane->hits, lazy->pool + state->set, state->places, 1);
	return gm_result_close(result, lane->record, &lane->hits);
}

/* Ends the lanes that have no byte left, and begins records in them; -1 without memory. */
static int lanes_fill(struct gm_lazy *lazy, const struct gm_records *records, uint32_t *record,
		      struct gm_result *result, uint32_t lanes)
{
	for (uint32_t i = 0; i < lanes; i++) {
		struct gm_lazy_lane *lane = &lazy->lanes[i];

		while (!lane->used || !lane->left) {
			if (lane->used && lane_end(lazy, lane, result) != GM_MATCH_OK)
				return GM_MATCH_MEMORY;
			if (*record == records->count)
				break;
			lane_begin(lazy, lane, records, (*record)++);
		}
	}
	return GM_MATCH_OK;
}

static uint32_t least_left(const struct gm_lazy *lazy)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t i = 0; i < lazy->lanes_used; i++) {
		uint32_t left = lazy->lanes[i].used ? lazy->lanes[i].left : 0;

		least = left < least ? left : least;
	}
	return least;
}

/* The record in lane 0 to its end. */
static void one_finish(struct gm_lazy *lazy)
{
	struct gm_lazy_lane *lane = &lazy->lanes[0];

	while (lane->left) {
		if (one_moved(lazy, lane->left) == 0)
			cell_make(lazy, lane);
	}
}

/* What is left in the lanes, one by one in lane 0, which swaps its place with them. */
static int rest_finish(struct gm_lazy *lazy, struct gm_result *result)
{
	for (uint32_t i = 0; i < lazy->lanes_used; i++) {
		struct gm_lazy_lane lane = lazy->lanes[i];

		lazy->lanes[i] = lazy->lanes[0];
		lazy->lanes[0] = lane;
		if (!lane.used)
			continue;
		one_finish(lazy);
		if (lane_end(lazy, &lazy->lanes[0], result) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
	}
	return GM_MATCH_OK;
}

int gm_lazy_scan(struct gm_lazy *lazy, const struct gm_records *records, struct gm_result *result)
{
	uint32_t record = 0;
	uint32_t lane;

	for (;;) {
		uint32_t steps;

		if (lanes_fill(lazy, records, &record, result, lazy->lanes_used) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
		steps = least_left(lazy);
		if (!steps)
			return rest_finish(lazy, result);
		lane = lazy->lanes_used == 1 ? one_moved(lazy, steps) : all_moved(lazy, steps);
		if (lane < lazy->lanes_used)
			cell_make(lazy, &lazy->lanes[lane]);
	}
}

int gm_lazy_matches(struct gm_lazy *lazy, const uint8_t *bytes, uint32_t length)
{
	uint32_t offsets[2] = { 0, length };
	struct gm_records record = { .offsets = offsets, .count = 1 };
	struct gm_lazy_lane *lane = &lazy->lanes[0];
	int matches;

	lane_begin(lazy, lane, &record, 0);
	lane->text = bytes;
	while (lane->left && !lane->hits.count) {
		uint32_t steps = lane->left < 64 ? lane->left : 64;

		if (one_moved(lazy, steps) == 0)
			cell_make(lazy, lane);
	}
	lane->used = 0;
	if (!lane->hits.count && lane->row) {
		const struct gm_lazy_state *state = gm_lazy_state(lazy, lane->row);

		places_report(&lazy->nfa, &lane->hits, lazy->pool + state->set, state->places, 1);
	}
	matches = lane->hits.count > 0;
	for (uint32_t i = 0; i < lane->hits.count; i++)
		lane->hits.bits[lane->hits.ids[i] >> 5] = 0;
	lane->hits.count = 0;
	return matches;
}
