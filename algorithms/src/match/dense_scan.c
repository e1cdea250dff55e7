/* SPDX-License-Identifier: Apache-2.0 */
#include "match/dense.h"
#include "match/engines.h"
#include "match/lanes.h"

static uint32_t cell(const struct gm_dense *dense, uint32_t at)
{
	return dense->cells16 ? dense->cells16[at] : dense->cells32[at];
}

static uint32_t accepts(const void *tables, uint32_t state)
{
	const struct gm_dense *dense = tables;

	return cell(dense, state + dense->class_count);
}

static uint32_t end_accepts(const void *tables, uint32_t state)
{
	const struct gm_dense *dense = tables;

	return cell(dense, state + dense->class_count + 1);
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

int gm_dense_scan(void *engine, const struct gm_records *records, struct gm_result *result)
{
	const struct gm_dense *dense = engine;
	struct gm_lanes lanes = { 0 };

	lanes.tables = dense;
	lanes.starts = dense->starts;
	lanes.parts = dense->parts;
	lanes.events = dense->events;
	lanes.dead = dense->dead;
	lanes.lists = &dense->lists;
	lanes.accepts = accepts;
	lanes.end_accepts = end_accepts;
	lanes.run = dense->cells16 ? run16 : run32;
	lanes.single = dense->cells16 ? single16 : single32;
	lanes.hits = dense->hits;
	lanes.records = records;
	lanes.result = result;
	return gm_lanes_scan(&lanes);
}
