/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loops of Aho-Corasick, one a form of its tables. Each is written once, for a number of lanes
 * that the compiler knows: then it keeps their states in registers.
 */
#include "literal/aho_corasick.h"

static inline void narrow(struct gm_ac_scan *scan, struct gm_ac_lane *lanes, uint32_t from,
			  uint32_t count, uint32_t steps)
{
	const struct gm_ac *ac = scan->ac;
	const uint16_t *next = ac->narrow;
	const uint8_t *map = ac->map;
	const uint32_t classes = ac->classes;
	const uint32_t ends_from = ac->ends_from;
	const uint8_t *text[GM_AC_LANES];
	uint32_t state[GM_AC_LANES];

	for (uint32_t i = 0; i < count; i++) {
		text[i] = lanes[i].text;
		state[i] = lanes[i].state;
	}
	for (uint32_t step = 0; step < steps; step++) {
		for (uint32_t i = 0; i < count; i++) {
			state[i] = next[(size_t)state[i] * classes + map[text[i][step]]];
			if (state[i] >= ends_from)
				gm_ac_report(scan, from + i, state[i] - ends_from,
					     text[i] + step + 1);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		lanes[i].state = state[i];
}

/*
 * The same where a cell is the offset of the next row. The column does not depend on the state, so
 * there is nothing but a load between one state and the next.
 */
#define GM_AC_SCALED(name, table, cell)                                                            \
	static inline void name(struct gm_ac_scan *scan, struct gm_ac_lane *lanes, uint32_t from,  \
				uint32_t count, uint32_t steps)                                    \
	{                                                                                          \
		const struct gm_ac *ac = scan->ac;                                                 \
		const cell *next = ac->table;                                                      \
		const uint32_t ends_from = ac->ends_from;                                          \
		const uint8_t *text[GM_AC_LANES];                                                  \
		size_t state[GM_AC_LANES];                                                         \
                                                                                                   \
		for (uint32_t i = 0; i < count; i++) {                                             \
			text[i] = lanes[i].text;                                                   \
			state[i] = lanes[i].state;                                                 \
		}                                                                                  \
		for (uint32_t step = 0; step < steps; step++) {                                    \
			for (uint32_t i = 0; i < count; i++) {                                     \
				const cell *column = next + ac->map[text[i][step]];                \
                                                                                                   \
				state[i] = column[state[i]];                                       \
				if (state[i] >= ends_from)                                         \
					gm_ac_report(scan, from + i,                               \
						     ((uint32_t)state[i] - ends_from) /            \
							     ac->classes,                          \
						     text[i] + step + 1);                          \
			}                                                                          \
		}                                                                                  \
		for (uint32_t i = 0; i < count; i++)                                               \
			lanes[i].state = (uint32_t)state[i];                                       \
	}

GM_AC_SCALED(scaled, narrow, uint16_t)
GM_AC_SCALED(wide, wide, uint32_t)

/* The child by a class with its mark, or 0. */
static inline uint32_t child(const struct gm_ac *ac, uint32_t state, uint32_t class)
{
	for (uint32_t at = ac->first[state]; at < ac->first[state + 1]; at++) {
		uint32_t label = ac->label[at];

		if ((label & ~(uint32_t)GM_AC_LABEL_END) == class)
			return at | (label & GM_AC_LABEL_END) << 16;
	}
	return 0;
}

static inline uint32_t stepped(const struct gm_ac *ac, uint32_t state, uint32_t class)
{
	while (state >= ac->rows) {
		uint32_t next = child(ac, state, class);

		if (next)
			return next;
		state = ac->fail[state];
	}
	return ac->row[(size_t)state * ac->classes + class];
}

static inline void compact(struct gm_ac_scan *scan, struct gm_ac_lane *lanes, uint32_t from,
			   uint32_t count, uint32_t steps)
{
	const struct gm_ac *ac = scan->ac;
	const uint8_t *text[GM_AC_LANES];
	uint32_t state[GM_AC_LANES];

	for (uint32_t i = 0; i < count; i++) {
		text[i] = lanes[i].text;
		state[i] = lanes[i].state;
	}
	for (uint32_t step = 0; step < steps; step++) {
		for (uint32_t i = 0; i < count; i++) {
			uint32_t next = stepped(ac, state[i], ac->map[text[i][step]]);

			state[i] = next & ~GM_AC_END;
			if (next & GM_AC_END)
				gm_ac_report(scan, from + i, ac->end_of[state[i]],
					     text[i] + step + 1);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		lanes[i].state = state[i];
}

void gm_ac_narrow_all(struct gm_ac_scan *scan, uint32_t steps)
{
	narrow(scan, scan->lanes, 0, GM_AC_LANES, steps);
}

void gm_ac_narrow_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps)
{
	narrow(scan, scan->lanes + lane, lane, 1, steps);
}

void gm_ac_scaled_all(struct gm_ac_scan *scan, uint32_t steps)
{
	scaled(scan, scan->lanes, 0, GM_AC_LANES_SMALL, steps);
}

void gm_ac_scaled_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps)
{
	scaled(scan, scan->lanes + lane, lane, 1, steps);
}

void gm_ac_wide_all(struct gm_ac_scan *scan, uint32_t steps)
{
	wide(scan, scan->lanes, 0, GM_AC_LANES, steps);
}

void gm_ac_wide_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps)
{
	wide(scan, scan->lanes + lane, lane, 1, steps);
}

void gm_ac_compact_all(struct gm_ac_scan *scan, uint32_t steps)
{
	compact(scan, scan->lanes, 0, GM_AC_LANES, steps);
}

void gm_ac_compact_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps)
{
	compact(scan, scan->lanes + lane, lane, 1, steps);
}
