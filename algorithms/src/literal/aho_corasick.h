/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of gm_ac: tables, and what a scan does with states in which literals end. */
#ifndef GM_LITERAL_AHO_CORASICK_H
#define GM_LITERAL_AHO_CORASICK_H

#include "gm/aho_corasick.h"
#include "pattern/literal.h"

/* Records in turn. Small tables answer at once, and four states stay in registers. */
enum { GM_AC_LANES = 8, GM_AC_LANES_SMALL = 4 };

/* The ends of a compact form's states: bit 31 of a row's cell, bit 15 of a label. */
#define GM_AC_END UINT32_C(0x80000000)
#define GM_AC_LABEL_END 0x8000

/* What ends in a state; `link` is the place of the next shorter suffix's end, or itself. */
struct gm_ac_end {
	uint32_t low;
	uint32_t own;
	uint32_t link;
};

struct gm_ac {
	enum gm_ac_form form;
	uint32_t states;
	uint32_t classes;
	uint32_t rows;
	uint8_t map[256];
	/* Dense: states with an end have the highest numbers, from ends_from. */
	uint16_t *
		narrow; /* where 16 bits hold a state: the next one, or the offset of its row ... */
	uint32_t *wide; /* ... otherwise: the offset of its row */
	int scaled; /* cells are offsets, and ends_from too */
	uint32_t ends_from;
	/* Compact: the first rows, then children as a list. */
	uint32_t *row;
	uint32_t *first;
	uint16_t *label;
	uint32_t *fail;
	uint32_t *end_of; /* compact: a state's place among the ends */
	struct gm_ac_end *ends;
	uint32_t *sorted;
	struct gm_literal_set set;
	struct gm_marks marks;
	size_t bytes;
	size_t peak_bytes;
};

/* A record that is scanned in turn with others. */
struct gm_ac_lane {
	const uint8_t *text;
	uint32_t left;
	uint32_t state;
	uint32_t record;
	uint32_t stamp;
	const uint8_t *start;
};

struct gm_ac_scan {
	struct gm_ac *ac;
	struct gm_pairs *pairs;
	uint32_t lane_count;
	struct gm_ac_lane lanes[GM_AC_LANES];
};

/* Reports what ends at `end` for a lane whose last read byte is before `text`. */
void gm_ac_report(struct gm_ac_scan *scan, uint32_t lane, uint32_t end, const uint8_t *text);

/* Moves all lanes, or one, by `steps` bytes. */
void gm_ac_narrow_all(struct gm_ac_scan *scan, uint32_t steps);
void gm_ac_narrow_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps);
void gm_ac_scaled_all(struct gm_ac_scan *scan, uint32_t steps);
void gm_ac_scaled_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps);
void gm_ac_wide_all(struct gm_ac_scan *scan, uint32_t steps);
void gm_ac_wide_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps);
void gm_ac_compact_all(struct gm_ac_scan *scan, uint32_t steps);
void gm_ac_compact_one(struct gm_ac_scan *scan, uint32_t lane, uint32_t steps);

#endif
