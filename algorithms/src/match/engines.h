/* SPDX-License-Identifier: Apache-2.0 */
/* The automata's engines; each is one constant, and scans are in files of their own. */
#ifndef GM_MATCH_ENGINES_H
#define GM_MATCH_ENGINES_H

#include "gm/match.h"

extern const struct gm_engine gm_engine_dfa; /* dense.c */
extern const struct gm_engine gm_engine_d2fa; /* d2fa.c */
extern const struct gm_engine gm_engine_adfa; /* adfa.c */
extern const struct gm_engine gm_engine_hfa; /* hfa.c */

int gm_dense_scan(void *engine, const struct gm_records *records, struct gm_result *result);

extern const struct gm_engine gm_engine_ac; /* Aho-Corasick: strings alone */
extern const struct gm_engine gm_engine_ac_compact; /* the same, with failures */
extern const struct gm_engine gm_engine_pre; /* strings first */

#endif
