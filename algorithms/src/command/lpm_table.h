/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that look-ups are timed with: a file of prefixes, or one that is drawn. */
#ifndef GM_COMMAND_LPM_TABLE_H
#define GM_COMMAND_LPM_TABLE_H

#include "gm/prefixes.h"

/* Lines of a file that are no part of the table, and why. */
struct left_out {
	uint32_t count;
	char reasons[160];
};

/*
 * Reads the routes of a family from FILE, or draws `generated:COUNT:SEED` with the depths of the
 * study's two tables. Ends the program with code 2 where there are none.
 */
void lpm_table_read(struct gm_prefixes *prefixes, const char *name, unsigned family,
		    struct left_out *left_out);

#endif
