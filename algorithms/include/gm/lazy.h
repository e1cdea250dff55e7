/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lazy DFA: states of the subset construction, made when a record first leads there, in a cache of
 * bounded size. It takes every pattern set. When the cache is full, all is forgotten but the states
 * at hand; where that happens too often, the records at hand go on with the sets themselves.
 *
 * Source: R. Cox, "Regular expression matching in the wild" (2010), for the bounded cache.
 */
#ifndef GM_LAZY_H
#define GM_LAZY_H

#include "gm/match.h"

/* A part of gm_match_bounds: cache_bytes, 2 MiB if 0. */
extern const struct gm_engine gm_engine_lazy;

struct gm_lazy;

/* The same with at most `states` in the cache, at least 3; 0: as many as fit into the bytes. */
struct gm_lazy *gm_lazy_new(const struct gm_patterns *patterns,
			    const struct gm_match_bounds *bounds, uint32_t states,
			    struct gm_match_error *error);
void gm_lazy_free(struct gm_lazy *lazy);

/* GM_MATCH_OK or GM_MATCH_MEMORY. */
int gm_lazy_scan(struct gm_lazy *lazy, const struct gm_records *records, struct gm_result *result);

/* Of a single pattern: is it anywhere in the record? */
int gm_lazy_matches(struct gm_lazy *lazy, const uint8_t *bytes, uint32_t length);

#endif
