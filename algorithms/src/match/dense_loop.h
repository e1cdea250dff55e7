/* SPDX-License-Identifier: Apache-2.0 */
/* Not a header of its own: the dense loops for one width of cells, GM_CELL. */

/* All lanes for `steps` bytes, or until one has no way out. */
static void GM_NAME(lanes)(struct scan *scan, uint32_t steps)
{
	const struct gm_dense *dense = scan->dense;
	const GM_CELL *cells = dense->GM_CELLS;
	const uint8_t *classes = dense->classes;
	const uint32_t events = dense->events;
	struct lane *lanes = scan->lanes;
	const uint8_t *a = lanes[0].at;
	const uint8_t *b = lanes[1].at;
	const uint8_t *c = lanes[2].at;
	const uint8_t *d = lanes[3].at;
	const uint8_t *e = lanes[4].at;
	const uint8_t *f = lanes[5].at;
	const uint8_t *g = lanes[6].at;
	const uint8_t *h = lanes[7].at;
	uint32_t s[LANES];
	uint32_t i = 0;
	int over = 0;

	for (uint32_t j = 0; j < LANES; j++)
		s[j] = lanes[j].state;
	while (i < steps && !over) {
		s[0] = cells[s[0] + classes[a[i]]];
		s[1] = cells[s[1] + classes[b[i]]];
		s[2] = cells[s[2] + classes[c[i]]];
		s[3] = cells[s[3] + classes[d[i]]];
		s[4] = cells[s[4] + classes[e[i]]];
		s[5] = cells[s[5] + classes[f[i]]];
		s[6] = cells[s[6] + classes[g[i]]];
		s[7] = cells[s[7] + classes[h[i]]];
		i++;
		if ((s[0] < events) & (s[1] < events) & (s[2] < events) & (s[3] < events) &
		    (s[4] < events) & (s[5] < events) & (s[6] < events) & (s[7] < events))
			continue;
		for (uint32_t j = 0; j < LANES; j++) {
			if (event(scan, j, s[j])) {
				lanes[j].left = i;
				over = 1;
			}
		}
	}
	for (uint32_t j = 0; j < LANES; j++) {
		lanes[j].state = s[j];
		lanes[j].at += i;
		lanes[j].left -= i;
	}
}

/* One lane to its record's end, or until it has no way out. */
static void GM_NAME(single)(struct scan *scan, uint32_t number)
{
	const struct gm_dense *dense = scan->dense;
	const GM_CELL *cells = dense->GM_CELLS;
	struct lane *lane = &scan->lanes[number];
	uint32_t state = lane->state;

	for (; lane->left; lane->left--) {
		state = cells[state + dense->classes[*lane->at++]];
		if (state >= dense->events && event(scan, number, state))
			lane->left = 1;
	}
	lane->state = state;
}
