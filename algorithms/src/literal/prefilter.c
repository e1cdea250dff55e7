/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Literals first: a pattern is looked for only in records that have one of the strings it needs.
 * Patterns that are nothing but strings are found with them; those that need no string of four bytes
 * go through a lazy DFA together.
 *
 * Source: X. Wang et al., "Hyperscan: a fast multi-pattern regex matcher for modern CPUs" (2019).
 */
#include "gm/lazy.h"
#include "literal/pattern_literals.h"
#include "match/engines.h"
#include "payload/result.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_FIRST = 1 << 12, SHORTEST = 4, OWN_CACHE_BYTES = 1 << 15 };

struct engine {
	uint32_t patterns;
	struct gm_literals *literals;
	struct gm_pairs pairs;
	struct gm_lazy **own; /* of each pattern that a string does not decide */
	struct gm_lazy *rest; /* of the patterns without strings */
	uint32_t *rest_ids;
	uint32_t rest_count;
	struct gm_result rest_result;
	struct gm_hits hits;
	uint64_t confirmed; /* patterns looked for in a record */
};

static void engine_free(void *state)
{
	struct engine *engine = state;

	if (!engine)
		return;
	for (uint32_t id = 0; engine->own && id < engine->patterns; id++)
		gm_lazy_free(engine->own[id]);
	free((void *)engine->own);
	gm_lazy_free(engine->rest);
	free(engine->rest_ids);
	gm_literals_free(engine->literals);
	free(engine->pairs.pairs);
	gm_result_free(&engine->rest_result);
	gm_hits_free(&engine->hits);
	free(engine);
}

/* The automaton of some patterns alone, in a cache of its own. */
static struct gm_lazy *lazy_of(const struct gm_patterns *patterns, const uint32_t *ids,
			       uint32_t count, const struct gm_match_bounds *bounds,
			       struct gm_match_error *error)
{
	struct gm_patterns *subset = gm_patterns_subset(patterns, ids, count);
	struct gm_lazy *lazy = subset ? gm_lazy_new(subset, bounds, 0, error) : NULL;

	gm_patterns_free(subset);
	return lazy;
}

/* Sorts a pattern into one of the three kinds. */
static int pattern_enter(struct engine *engine, struct gm_pattern_literals *literals,
			 const struct gm_patterns *patterns, uint32_t id,
			 struct gm_match_error *error)
{
	const struct gm_match_bounds small = { .cache_bytes = OWN_CACHE_BYTES };
	struct gm_required required;

	gm_required_of(patterns->forest, patterns->patterns[id].root, &required);
	if (gm_strings_shortest(&required.best) < SHORTEST) {
		engine->rest_ids[engine->rest_count++] = id;
		return GM_MATCH_OK;
	}
	if (required.loose || !gm_strings_shortest(&required.exact)) {
		engine->own[id] = lazy_of(patterns, &id, 1, &small, error);
		if (!engine->own[id])
			return GM_MATCH_MEMORY;
	}
	return gm_pattern_literals_add(literals, &required.best, id);
}

static int filled(struct engine *engine, const struct gm_patterns *patterns,
		  const struct gm_match_bounds *bounds, struct gm_match_error *error)
{
	struct gm_pattern_literals literals = { 0 };
	int status = gm_hits_init(&engine->hits, patterns->count);

	engine->patterns = patterns->count;
	engine->own =
		(struct gm_lazy **)calloc(patterns->count + (size_t)1, sizeof(struct gm_lazy *));
	engine->rest_ids = malloc((patterns->count + (size_t)1) * sizeof(uint32_t));
	if (!engine->own || !engine->rest_ids)
		status = GM_MATCH_MEMORY;
	for (uint32_t id = 0; id < patterns->count && status == GM_MATCH_OK; id++)
		status = pattern_enter(engine, &literals, patterns, id, error);
	gm_pattern_literals_end(&literals);
	if (status == GM_MATCH_OK)
		engine->literals = gm_literals_new(literals.literals, literals.count,
						   bounds && bounds->portable
							   ? GM_LITERALS_FILTER_PORTABLE
							   : GM_LITERALS_FILTER);
	if (engine->literals && engine->rest_count)
		engine->rest =
			lazy_of(patterns, engine->rest_ids, engine->rest_count, bounds, error);
	gm_pattern_literals_free(&literals);
	return engine->literals && (engine->rest || !engine->rest_count) ? GM_MATCH_OK
									 : GM_MATCH_MEMORY;
}

static void *engine_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
			  struct gm_match_error *error)
{
	struct engine *engine = calloc(1, sizeof(*engine));

	if (engine && filled(engine, patterns, bounds, error) != GM_MATCH_OK) {
		engine_free(engine);
		return NULL;
	}
	return engine;
}

static int rest_scan(struct engine *engine, const struct gm_records *records)
{
	if (!engine->rest)
		return GM_MATCH_OK;
	if (!engine->rest_result.count || engine->rest_result.records != records->count) {
		gm_result_free(&engine->rest_result);
		if (gm_result_init(&engine->rest_result, records->count) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
	}
	gm_result_clear(&engine->rest_result);
	return gm_lazy_scan(engine->rest, records, &engine->rest_result);
}

static int literals_scan(struct engine *engine, const struct gm_records *records)
{
	do {
		if (gm_pairs_room(&engine->pairs, PAIRS_FIRST) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
		gm_literals_scan(engine->literals, records, &engine->pairs);
	} while (engine->pairs.count > engine->pairs.room);
	return GM_MATCH_OK;
}

/* A pattern of which the record has a string. */
static void confirm(struct engine *engine, const struct gm_records *records, uint32_t record,
		    uint32_t id)
{
	uint32_t start = records->offsets[record];
	uint32_t length = records->offsets[record + 1] - start;

	if (engine->own[id]) {
		engine->confirmed++;
		if (!gm_lazy_matches(engine->own[id], records->bytes + start, length))
			return;
	}
	gm_hits_add(&engine->hits, id);
}

static int engine_scan(void *state, const struct gm_records *records, struct gm_result *result)
{
	struct engine *engine = state;
	const struct gm_result *rest = &engine->rest_result;
	uint32_t pair = 0;

	if (literals_scan(engine, records) != GM_MATCH_OK ||
	    rest_scan(engine, records) != GM_MATCH_OK)
		return GM_MATCH_MEMORY;
	/* The literals of at least four bytes are scanned record by record: their pairs are so. */
	for (uint32_t record = 0; record < records->count; record++) {
		for (; pair < engine->pairs.count && engine->pairs.pairs[pair].record == record;
		     pair++)
			confirm(engine, records, record, engine->pairs.pairs[pair].id);
		for (uint32_t i = 0; engine->rest && i < rest->count[record]; i++)
			gm_hits_add(&engine->hits,
				    engine->rest_ids[rest->ids[rest->first[record] + i]]);
		if (gm_result_close(result, record, &engine->hits) != GM_MATCH_OK)
			return GM_MATCH_MEMORY;
	}
	return GM_MATCH_OK;
}

static uint64_t engine_bytes(const void *state)
{
	const struct engine *engine = state;
	uint64_t bytes = gm_literals_bytes(engine->literals);

	for (uint32_t id = 0; id < engine->patterns; id++)
		bytes += engine->own[id] ? gm_engine_lazy.bytes(engine->own[id]) : 0;
	return bytes + (engine->rest ? gm_engine_lazy.bytes(engine->rest) : 0);
}

static void engine_count(const void *state, struct gm_counters *counters)
{
	const struct engine *engine = state;
	uint32_t own = 0;

	for (uint32_t id = 0; id < engine->patterns; id++)
		own += engine->own[id] != NULL;
	gm_counters_add(counters, "strings_alone", engine->patterns - own - engine->rest_count);
	gm_counters_add(counters, "strings_first", own);
	gm_counters_add(counters, "without_strings", engine->rest_count);
	gm_counters_add(counters, "confirmed", engine->confirmed);
	if (engine->rest)
		gm_engine_lazy.count(engine->rest, counters);
}

const struct gm_engine gm_engine_pre = {
	"pre",	      "strings that patterns need first, then the pattern's own automaton",
	engine_build, engine_scan,
	engine_count, engine_bytes,
	engine_free,
};
