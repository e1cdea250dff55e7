/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dense engine's loops. One record's walk waits for each cell before it can ask for the next, so
 * eight records go through one loop: their waits overlap.
 */
#include "match/dense.h"

#include "gm/records.h"
#include "match/engines.h"
#include "match/result.h"

enum { LANES = GM_DENSE_LANES };

/* One record on its way through one part. */
struct lane {
	const uint8_t *at;
	uint32_t left; /* bytes to the record's end */
	uint32_t state;
	uint32_t last; /* the list that was added last: it need not be added again */
	uint32_t record;
	uint32_t part;
};

struct scan {
	struct gm_dense *dense;
	const struct gm_records *records;
	struct gm_result *result;
	struct lane lanes[LANES];
	uint32_t active;
	uint32_t next; /* the first record that has not begun */
};

static uint32_t cell(const struct gm_dense *dense, uint32_t at)
{
	return dense->cells16 ? dense->cells16[at] : dense->cells32[at];
}

static void add_list(const struct gm_dense *dense, struct gm_hits *hits, uint32_t list)
{
	for (uint32_t i = dense->lists.firsts[list]; i < dense->lists.firsts[list + 1]; i++)
		gm_hits_add(hits, dense->lists.ids[i]);
}

/* A lane is at a state that accepts, or has no way out. Returns 1 for the latter. */
static int event(struct scan *scan, uint32_t number, uint32_t state)
{
	const struct gm_dense *dense = scan->dense;
	struct lane *lane = &scan->lanes[number];
	uint32_t list;

	if (state < dense->events)
		return 0;
	list = cell(dense, state + dense->class_count);
	if (list != lane->last) {
		lane->last = list;
		add_list(dense, &dense->hits[number], list);
	}
	return state >= dense->dead;
}

#define GM_CELL uint16_t
#define GM_CELLS cells16
#define GM_NAME(word) word##16
#include "match/dense_loop.h"
#undef GM_CELL
#undef GM_CELLS
#undef GM_NAME
#define GM_CELL uint32_t
#define GM_CELLS cells32
#define GM_NAME(word) word##32
#include "match/dense_loop.h"

static void enter_part(struct scan *scan, struct lane *lane, uint32_t number)
{
	const struct gm_records *records = scan->records;

	lane->at = records->bytes + records->offsets[lane->record];
	lane->left = records->offsets[lane->record + 1] - records->offsets[lane->record];
	lane->state = scan->dense->starts[lane->part];
	lane->last = 0;
	if (event(scan, number, lane->state))
		lane->left = 0;
}

/* Puts the next record on a lane; 0 if there is none. */
static int enter_record(struct scan *scan, uint32_t number)
{
	struct lane *lane = &scan->lanes[number];

	if (scan->next == scan->records->count)
		return 0;
	lane->record = scan->next++;
	lane->part = 0;
	enter_part(scan, lane, number);
	return 1;
}

/* A lane is done: with one part of the record, or with the record. 0 if it has nothing more. */
static int advance(struct scan *scan, uint32_t number, int *status)
{
	struct gm_dense *dense = scan->dense;
	struct lane *lane = &scan->lanes[number];
	uint32_t list = cell(dense, lane->state + dense->class_count + 1);

	add_list(dense, &dense->hits[number], list);
	if (++lane->part < dense->parts) {
		enter_part(scan, lane, number);
		return 1;
	}
	if (gm_result_close(scan->result, lane->record, &dense->hits[number]) != GM_MATCH_OK)
		*status = GM_MATCH_MEMORY;
	return enter_record(scan, number);
}

/* Moves lanes that are done forward until each has bytes. 0 if one of them stays empty. */
static int refill(struct scan *scan, int *status)
{
	for (uint32_t i = 0; i < LANES; i++) {
		while (scan->lanes[i].left == 0) {
			if (!advance(scan, i, status)) {
				scan->active &= ~(UINT32_C(1) << i);
				return 0;
			}
		}
	}
	return 1;
}

static uint32_t shortest(const struct scan *scan)
{
	uint32_t steps = scan->lanes[0].left;

	for (uint32_t i = 1; i < LANES; i++)
		steps = scan->lanes[i].left < steps ? scan->lanes[i].left : steps;
	return steps;
}

/* What is left when there are fewer records than lanes: one lane after the other. */
static void finish(struct scan *scan, int *status)
{
	for (uint32_t i = 0; i < LANES; i++) {
		if (!(scan->active >> i & 1))
			continue;
		do {
			if (scan->dense->cells16)
				single16(scan, i);
			else
				single32(scan, i);
		} while (advance(scan, i, status));
	}
}

int gm_dense_scan(void *engine, const struct gm_records *records, struct gm_result *result)
{
	struct scan scan = { engine, records, result, { { 0 } }, 0, 0 };
	int status = GM_MATCH_OK;

	for (uint32_t i = 0; i < LANES && enter_record(&scan, i); i++)
		scan.active |= UINT32_C(1) << i;
	if (scan.active == (UINT32_C(1) << LANES) - 1) {
		while (refill(&scan, &status)) {
			if (scan.dense->cells16)
				lanes16(&scan, shortest(&scan));
			else
				lanes32(&scan, shortest(&scan));
		}
	}
	finish(&scan, &status);
	return status;
}
