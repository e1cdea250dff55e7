/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Aho-Corasick: an automaton of all prefixes of a set of literals, which reads each byte once.
 *
 * Source: A. Aho, M. Corasick, "Efficient string matching: an aid to bibliographic search" (1975).
 * The dense form is the full automaton: a row of next states for each state, a column for each
 * class of bytes, in 16 bits where the states fit. The compact form has such rows for its first
 * states in breadth-first order, where a scan is nearly always, and for the others the list of
 * children and the failure. Both work on several records in turn, since one walk waits for memory.
 */
#ifndef GM_AHO_CORASICK_H
#define GM_AHO_CORASICK_H

#include "gm/literals.h"

enum gm_ac_form { GM_AC_DENSE, GM_AC_COMPACT };

struct gm_ac;

struct gm_ac_counts {
	uint32_t states;
	uint32_t classes;
	uint32_t rows; /* states that have a row */
	size_t bytes; /* of all tables that a scan reads */
	size_t peak_bytes; /* while it was built */
};

/* Keeps copies of the literals. NULL without memory, or for an empty literal. */
struct gm_ac *gm_ac_new(const struct gm_literal *literals, uint32_t count, enum gm_ac_form form);
void gm_ac_free(struct gm_ac *ac);

/* Adds the pairs of all records. It uses the structure's own marks: one scan at a time. */
void gm_ac_scan(struct gm_ac *ac, const struct gm_records *records, struct gm_pairs *pairs);

struct gm_ac_counts gm_ac_counts(const struct gm_ac *ac);

#endif
