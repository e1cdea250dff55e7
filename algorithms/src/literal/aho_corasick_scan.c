/* SPDX-License-Identifier: Apache-2.0 */
/* Records through Aho-Corasick's tables: eight in turn, each by one byte, then the last ones alone. */
#include "literal/aho_corasick.h"

static void all_moved(struct gm_ac_scan *scan, uint32_t steps)
{
	if (scan->ac->form == GM_AC_COMPACT)
		gm_ac_compact_all(scan, steps);
	else if (scan->ac->narrow && scan->ac->scaled)
		gm_ac_scaled_all(scan, steps);
	else if (scan->ac->narrow)
		gm_ac_narrow_all(scan, steps);
	else
		gm_ac_wide_all(scan, steps);
}

static void one_moved(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps)
{
	if (scan->ac->form == GM_AC_COMPACT)
		gm_ac_compact_one(scan, lane, steps);
	else if (scan->ac->narrow && scan->ac->scaled)
		gm_ac_scaled_one(scan, lane, steps);
	else if (scan->ac->narrow)
		gm_ac_narrow_one(scan, lane, steps);
	else
		gm_ac_wide_one(scan, lane, steps);
}

/* Puts the next record that has bytes into a lane; 0 if there is none. */
static int lane_fill(struct gm_ac_scan *scan, struct gm_ac_lane *lane,
		     const struct gm_records *records, uint32_t *record)
{
	while (*record < records->count &&
	       records->offsets[*record] == records->offsets[*record + 1])
		++*record;
	if (*record == records->count)
		return 0;
	lane->text = records->bytes + records->offsets[*record];
	lane->left = records->offsets[*record + 1] - records->offsets[*record];
	lane->record = (*record)++;
	lane->state = 0;
	lane->stamp = gm_marks_next(&scan->ac->marks);
	return 1;
}

static uint32_t least_left(const struct gm_ac_scan *scan)
{
	uint32_t least = UINT32_MAX;

	for (uint32_t lane = 0; lane < scan->lane_count; lane++)
		least = scan->lanes[lane].left < least ? scan->lanes[lane].left : least;
	return least;
}

static void lanes_moved(struct gm_ac_scan *scan, uint32_t steps)
{
	all_moved(scan, steps);
	for (uint32_t lane = 0; lane < scan->lane_count; lane++) {
		scan->lanes[lane].text += steps;
		scan->lanes[lane].left -= steps;
	}
}

void gm_ac_scan(struct gm_ac *ac, const struct gm_records *records, struct gm_pairs *pairs)
{
	int small = ac->narrow && ac->scaled;
	struct gm_ac_scan scan = { ac, pairs, small ? GM_AC_LANES_SMALL : GM_AC_LANES, { { 0 } } };
	uint32_t record = 0;
	int full = 1;

	while (full) {
		for (uint32_t lane = 0; lane < scan.lane_count && full; lane++) {
			if (!scan.lanes[lane].left)
				full = lane_fill(&scan, &scan.lanes[lane], records, &record);
		}
		if (full)
			lanes_moved(&scan, least_left(&scan));
	}
	for (uint32_t lane = 0; lane < scan.lane_count; lane++)
		one_moved(&scan, lane, scan.lanes[lane].left);
}
