/* SPDX-License-Identifier: Apache-2.0 */
#include "match/delayed.h"

#include "common/bits.h"
#include "match/lanes.h"

static uint32_t accepts(const void *tables, uint32_t state)
{
	const struct gm_delayed *delayed = tables;

	return delayed->dfa.accepts[delayed->order[state / delayed->pieces_a_state]];
}

static uint32_t end_accepts(const void *tables, uint32_t state)
{
	const struct gm_delayed *delayed = tables;

	return delayed->dfa.end_accepts[delayed->order[state / delayed->pieces_a_state]];
}

/* One visit: a byte is read if the state keeps its class, else the default is taken. */
static uint32_t visit(const struct gm_delayed *delayed, uint32_t state, const uint8_t **at)
{
	uint32_t byte_class = delayed->dfa.classes[**at];
	const struct gm_delayed_piece *piece = &delayed->pieces[state + (byte_class >> 5)];
	uint32_t kept = piece->kept >> (byte_class & 31) & 1;
	uint32_t target =
		delayed->targets[piece->targets + gm_rank32(piece->kept, byte_class & 31)];

	*at += kept;
	return kept ? target : piece->otherwise;
}

/* Takes what was read to the lanes. */
static void settle(struct gm_lanes *scan, const uint8_t *const *at, const uint32_t *states)
{
	for (uint32_t j = 0; j < GM_LANES; j++) {
		struct gm_lane *lane = &scan->lanes[j];
		uint32_t count = (uint32_t)(at[j] - lane->at);

		scan->bytes += count;
		lane->state = states[j];
		lane->at = at[j];
		lane->left -= count;
	}
}

/*
 * All lanes for `steps` visits, which read as many bytes at most. A state to which a default led may
 * accept, but was not reached by a byte: what it accepts does not count.
 */
static void run(struct gm_lanes *scan, uint32_t steps)
{
	const struct gm_delayed *delayed = scan->tables;
	const uint8_t *at[GM_LANES];
	uint32_t states[GM_LANES];
	uint32_t over = 0;
	uint32_t i = 0;

	for (uint32_t j = 0; j < GM_LANES; j++) {
		at[j] = scan->lanes[j].at;
		states[j] = scan->lanes[j].state;
	}
	for (; i < steps && !over; i++) {
		for (uint32_t j = 0; j < GM_LANES; j++) {
			const uint8_t *before = at[j];

			states[j] = visit(delayed, states[j], &at[j]);
			if (states[j] >= delayed->events && at[j] != before)
				over |= (uint32_t)gm_lanes_event(scan, j, states[j]) << j;
		}
	}
	scan->visits += (uint64_t)i * GM_LANES;
	settle(scan, at, states);
	for (uint32_t j = 0; j < GM_LANES; j++) {
		if (over >> j & 1)
			scan->lanes[j].left = 0;
	}
}

static void single(struct gm_lanes *scan, uint32_t number)
{
	const struct gm_delayed *delayed = scan->tables;
	struct gm_lane *lane = &scan->lanes[number];

	while (lane->left) {
		const uint8_t *before = lane->at;

		lane->state = visit(delayed, lane->state, &lane->at);
		scan->visits++;
		if (lane->at == before)
			continue;
		scan->bytes++;
		lane->left--;
		if (lane->state >= delayed->events && gm_lanes_event(scan, number, lane->state))
			lane->left = 0;
	}
}

int gm_delayed_scan(void *engine, const struct gm_records *records, struct gm_result *result)
{
	struct gm_delayed *delayed = engine;
	struct gm_lanes lanes = { 0 };
	int status;

	lanes.tables = delayed;
	lanes.starts = &delayed->start;
	lanes.parts = 1;
	lanes.events = delayed->events;
	lanes.dead = delayed->dead;
	lanes.lists = &delayed->dfa.lists;
	lanes.accepts = accepts;
	lanes.end_accepts = end_accepts;
	lanes.run = run;
	lanes.single = single;
	lanes.hits = delayed->hits;
	lanes.records = records;
	lanes.result = result;
	status = gm_lanes_scan(&lanes);
	delayed->visits += lanes.visits;
	delayed->bytes += lanes.bytes;
	return status;
}
