/* SPDX-License-Identifier: Apache-2.0 */
/* Aho-Corasick among the engines: it takes patterns that are nothing but strings. */
#include "common/grow.h"
#include "gm/aho_corasick.h"
#include "literal/pattern_literals.h"
#include "match/engines.h"
#include "payload/result.h"

#include <stdlib.h>

enum { PAIRS_FIRST = 1 << 12 };

struct engine {
	struct gm_ac *ac;
	struct gm_pairs pairs;
};

static void engine_free(void *state)
{
	struct engine *engine = state;

	if (!engine)
		return;
	gm_ac_free(engine->ac);
	free(engine->pairs.pairs);
	free(engine);
}

static void *engine_build(const struct gm_patterns *patterns, struct gm_match_error *error,
			  enum gm_ac_form form)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	struct gm_pattern_literals literals;

	if (!engine)
		return NULL;
	if (gm_pattern_literals_exact(&literals, patterns, error) == GM_MATCH_OK)
		engine->ac = gm_ac_new(literals.literals, literals.count, form);
	gm_pattern_literals_free(&literals);
	if (!engine->ac) {
		engine_free(engine);
		return NULL;
	}
	return engine;
}

static void *dense_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
			 struct gm_match_error *error)
{
	(void)bounds;
	return engine_build(patterns, error, GM_AC_DENSE);
}

static void *compact_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
			   struct gm_match_error *error)
{
	(void)bounds;
	return engine_build(patterns, error, GM_AC_COMPACT);
}

/* The pairs grow in the first scan and then stay: a scan that had no room for all is repeated. */
static int engine_scan(void *state, const struct gm_records *records, struct gm_result *result)
{
	struct engine *engine = state;

	do {
		if (gm_pairs_room(&engine->pairs, PAIRS_FIRST) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
		gm_ac_scan(engine->ac, records, &engine->pairs);
	} while (engine->pairs.count > engine->pairs.room);
	return gm_pairs_result(&engine->pairs, result);
}

static uint64_t engine_bytes(const void *state)
{
	const struct engine *engine = state;

	return gm_ac_counts(engine->ac).bytes;
}

static void engine_count(const void *state, struct gm_counters *counters)
{
	const struct engine *engine = state;
	struct gm_ac_counts counts = gm_ac_counts(engine->ac);

	gm_counters_add(counters, "states", counts.states);
	gm_counters_add(counters, "classes", counts.classes);
	gm_counters_add(counters, "rows", counts.rows);
	gm_counters_add(counters, "peak_build_bytes", counts.peak_bytes);
}

const struct gm_engine gm_engine_ac = {
	"ac",	      "Aho-Corasick as a full automaton",
	dense_build,  engine_scan,
	engine_count, engine_bytes,
	engine_free,
};

const struct gm_engine gm_engine_ac_compact = {
	"ac-compact",  "Aho-Corasick with failures",
	compact_build, engine_scan,
	engine_count,  engine_bytes,
	engine_free,
};
