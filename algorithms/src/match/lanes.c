/* SPDX-License-Identifier: Apache-2.0 */
#include "match/lanes.h"

#include <stdlib.h>

void gm_lanes_hits_free(struct gm_hits *hits)
{
	for (uint32_t i = 0; hits && i < GM_LANES; i++)
		gm_hits_free(&hits[i]);
	free(hits);
}

struct gm_hits *gm_lanes_hits(uint32_t patterns)
{
	struct gm_hits *hits = calloc(GM_LANES, sizeof(*hits));

	for (uint32_t i = 0; hits && i < GM_LANES; i++) {
		if (gm_hits_init(&hits[i], patterns) != GM_MATCH_OK) {
			gm_lanes_hits_free(hits);
			return NULL;
		}
	}
	return hits;
}

static void add_list(const struct gm_lanes *lanes, uint32_t number, uint32_t list)
{
	const struct gm_lists *lists = lanes->lists;

	for (uint32_t i = lists->firsts[list]; i < lists->firsts[list + 1]; i++)
		gm_hits_add(&lanes->hits[number], lists->ids[i]);
}

int gm_lanes_event(struct gm_lanes *lanes, uint32_t number, uint32_t state)
{
	struct gm_lane *lane = &lanes->lanes[number];
	uint32_t list;

	if (state < lanes->events)
		return 0;
	list = lanes->accepts(lanes->tables, state);
	if (list != lane->last) {
		lane->last = list;
		add_list(lanes, number, list);
	}
	return state >= lanes->dead;
}

int gm_lanes_events(struct gm_lanes *lanes, const uint32_t *states, uint32_t read)
{
	int over = 0;

	for (uint32_t i = 0; i < GM_LANES; i++) {
		if (gm_lanes_event(lanes, i, states[i])) {
			lanes->lanes[i].left = read;
			over = 1;
		}
	}
	return over;
}

static void enter_part(struct gm_lanes *lanes, uint32_t number)
{
	const struct gm_records *records = lanes->records;
	struct gm_lane *lane = &lanes->lanes[number];

	lane->at = records->bytes + records->offsets[lane->record];
	lane->left = records->offsets[lane->record + 1] - records->offsets[lane->record];
	lane->state = lanes->starts[lane->part];
	lane->last = 0;
	if (gm_lanes_event(lanes, number, lane->state))
		lane->left = 0;
}

/* Puts the next record on a lane; 0 if there is none. */
static int enter_record(struct gm_lanes *lanes, uint32_t number)
{
	struct gm_lane *lane = &lanes->lanes[number];

	if (lanes->next == lanes->records->count)
		return 0;
	lane->record = lanes->next++;
	lane->part = 0;
	enter_part(lanes, number);
	return 1;
}

/* A lane is done with one part of its record, or with all. 0 if it has nothing more to do. */
static int advance(struct gm_lanes *lanes, uint32_t number)
{
	struct gm_lane *lane = &lanes->lanes[number];

	add_list(lanes, number, lanes->end_accepts(lanes->tables, lane->state));
	if (++lane->part < lanes->parts) {
		enter_part(lanes, number);
		return 1;
	}
	if (gm_result_close(lanes->result, lane->record, &lanes->hits[number]) != GM_MATCH_OK)
		lanes->status = GM_MATCH_MEMORY;
	return enter_record(lanes, number);
}

/* Moves lanes that are done forward until each has bytes. 0 if one of them stays empty. */
static int refill(struct gm_lanes *lanes)
{
	for (uint32_t i = 0; i < GM_LANES; i++) {
		while (lanes->lanes[i].left == 0 && advance(lanes, i))
			;
		if (lanes->lanes[i].left == 0) {
			lanes->active &= ~(UINT32_C(1) << i);
			return 0;
		}
	}
	return 1;
}

static uint32_t shortest(const struct gm_lanes *lanes)
{
	uint32_t steps = lanes->lanes[0].left;

	for (uint32_t i = 1; i < GM_LANES; i++)
		steps = lanes->lanes[i].left < steps ? lanes->lanes[i].left : steps;
	return steps;
}

int gm_lanes_scan(struct gm_lanes *lanes)
{
	lanes->status = GM_MATCH_OK;
	lanes->active = 0;
	lanes->next = 0;
	if (!lanes->parts)
		return GM_MATCH_OK;
	for (uint32_t i = 0; i < GM_LANES && enter_record(lanes, i); i++)
		lanes->active |= UINT32_C(1) << i;
	if (lanes->active == (UINT32_C(1) << GM_LANES) - 1) {
		while (refill(lanes))
			lanes->run(lanes, shortest(lanes));
	}
	/* Fewer records than lanes are left: one after the other. */
	for (uint32_t i = 0; i < GM_LANES; i++) {
		if (!(lanes->active >> i & 1))
			continue;
		do {
			lanes->single(lanes, i);
		} while (advance(lanes, i));
	}
	return lanes->status;
}
