/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deterministic automata as one table: the dense engine. A set whose automaton would be too large is
 * halved until each part has one; a record is then scanned once for each part. The parts share the
 * byte classes and the table, so that several records, at different parts, go through one loop.
 *
 * A cell is the offset of the next state's row. States whose row begins at `events` or later need
 * more than a step: they accept, or nothing can follow.
 */
#ifndef GM_MATCH_DENSE_H
#define GM_MATCH_DENSE_H

#include "automaton/dfa.h"

enum { GM_DENSE_PARTS = 64 }; /* at most so many automata */

struct gm_dense {
	uint16_t *cells16; /* if all offsets fit, else NULL */
	uint32_t *cells32;
	uint32_t cells; /* how many */
	uint32_t row; /* cells of a row: a next state for each class, then two lists */
	uint32_t class_count;
	uint8_t classes[256];
	uint32_t events; /* rows from here on accept or have no way out */
	uint32_t dead; /* rows from here on have no way out */
	uint32_t starts[GM_DENSE_PARTS];
	uint32_t parts;
	struct gm_lists lists;
	uint32_t patterns;
	uint32_t subset_states, states;
	uint32_t positions;
	uint64_t peak_bytes;
	struct gm_hits *hits; /* of each lane */
};

#endif
