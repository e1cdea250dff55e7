/* SPDX-License-Identifier: Apache-2.0 */
/* Not a header of its own: the dense loops for one width of cells, GM_CELL. */

/* All lanes for `steps` bytes, or until one has no way out. */
static void GM_NAME(run)(struct gm_lanes *scan, uint32_t steps)
{
	const struct gm_dense *dense = scan->tables;
	const GM_CELL *cells = dense->GM_CELLS;
	const uint8_t *classes = dense->classes;
	const uint32_t events = dense->events;
	struct gm_lane *lanes = scan->lanes;
	const uint8_t *at[GM_LANES];
	uint32_t s[GM_LANES];
	uint32_t i = 0;
	int over = 0;

	for (uint32_t j = 0; j < GM_LANES; j++) {
		at[j] = lanes[j].at;
		s[j] = lanes[j].state;
	}
	while (i < steps && !over) {
		s[0] = cells[s[0] + classes[at[0][i]]];
		s[1] = cells[s[1] + classes[at[1][i]]];
		s[2] = cells[s[2] + classes[at[2][i]]];
		s[3] = cells[s[3] + classes[at[3][i]]];
		s[4] = cells[s[4] + classes[at[4][i]]];
		s[5] = cells[s[5] + classes[at[5][i]]];
		s[6] = cells[s[6] + classes[at[6][i]]];
		s[7] = cells[s[7] + classes[at[7][i]]];
		i++;
		if ((s[0] < events) & (s[1] < events) & (s[2] < events) & (s[3] < events) &
		    (s[4] < events) & (s[5] < events) & (s[6] < events) & (s[7] < events))
			continue;
		over = gm_lanes_events(scan, s, i);
	}
	for (uint32_t j = 0; j < GM_LANES; j++) {
		lanes[j].state = s[j];
		lanes[j].at += i;
		lanes[j].left -= i;
	}
}

/* One lane to its record's end, or until it has no way out. */
static void GM_NAME(single)(struct gm_lanes *scan, uint32_t number)
{
	const struct gm_dense *dense = scan->tables;
	const GM_CELL *cells = dense->GM_CELLS;
	struct gm_lane *lane = &scan->lanes[number];
	uint32_t state = lane->state;

	for (; lane->left; lane->left--) {
		state = cells[state + dense->classes[*lane->at++]];
		if (state >= dense->events && gm_lanes_event(scan, number, state))
			lane->left = 1;
	}
	lane->state = state;
}
