/* SPDX-License-Identifier: Apache-2.0 */
#include "match/dense.h"

#include "automaton/parts.h"
#include "match/engines.h"
#include "match/lanes.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL_CELLS = 65536, LISTS = 2 };

static void dense_free(void *engine)
{
	struct gm_dense *dense = engine;

	if (!dense)
		return;
	gm_lanes_hits_free(dense->hits);
	free(dense->cells16);
	free(dense->cells32);
	gm_lists_free(&dense->lists);
	free(dense);
}

/* Splits the bytes into classes that are classes of every part. */
static void join_classes(struct gm_dense *dense, const struct gm_parts *parts, uint8_t *bytes)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		uint32_t other;

		for (other = 0; other < dense->class_count; other++) {
			uint32_t i = 0;

			while (i < parts->count &&
			       parts->parts[i].dfa.classes[byte] ==
				       parts->parts[i].dfa.classes[bytes[other]])
				i++;
			if (i == parts->count)
				break;
		}
		dense->classes[byte] = (uint8_t)other;
		if (other == dense->class_count)
			bytes[dense->class_count++] = (uint8_t)byte;
	}
}

/* 0: only steps; 1: accepts; 2: nothing can follow. The table has the states in this order. */
static uint32_t kind_of(const struct gm_dfa *dfa, uint32_t state)
{
	const uint32_t *next = dfa->next + (size_t)state * dfa->class_count;

	for (uint32_t i = 0; i < dfa->class_count; i++) {
		if (next[i] != state)
			return dfa->accepts[state] ? 1 : 0;
	}
	/* What is found at the end in such a state is found wherever the record ends. */
	return 2;
}

/* Gives each state of a kind its row, from `at` on; returns where the next one begins. */
static uint32_t place_kind(const struct gm_dense *dense, const struct gm_dfa *dfa, uint32_t kind,
			   uint32_t *rows, uint32_t at)
{
	for (uint32_t state = 0; state < dfa->state_count; state++) {
		if (kind_of(dfa, state) != kind)
			continue;
		rows[state] = at;
		at += dense->row;
	}
	return at;
}

/* Gives each state of all parts its row: rows[part][state]. Returns 0 without memory. */
static int place_rows(struct gm_dense *dense, const struct gm_parts *parts, uint32_t **rows)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < parts->count; i++) {
		rows[i] = malloc((parts->parts[i].dfa.state_count + (size_t)1) * sizeof(uint32_t));
		if (!rows[i])
			return 0;
	}
	for (uint32_t kind = 0; kind < 3; kind++) {
		for (uint32_t i = 0; i < parts->count; i++)
			at = place_kind(dense, &parts->parts[i].dfa, kind, rows[i], at);
		if (kind == 0)
			dense->events = at;
		if (kind == 1)
			dense->dead = at;
	}
	dense->cells = at;
	return 1;
}

/* A part's list with the ids of the whole set. */
static int copy_list(struct gm_dense *dense, const struct gm_part *part, uint32_t list,
		     uint32_t *copy)
{
	const struct gm_lists *lists = &part->dfa.lists;
	int status = GM_MATCH_OK;

	for (uint32_t i = lists->firsts[list]; i < lists->firsts[list + 1]; i++) {
		status = gm_lists_append(&dense->lists, part->ids[lists->ids[i]]);
		if (status != GM_MATCH_OK)
			return status;
	}
	return gm_lists_close(&dense->lists, copy);
}

static int fill_part(struct gm_dense *dense, const struct gm_part *part, const uint32_t *rows,
		     const uint8_t *bytes)
{
	const struct gm_dfa *dfa = &part->dfa;

	for (uint32_t state = 0; state < dfa->state_count; state++) {
		uint32_t *cells = dense->cells32 + rows[state];
		const uint32_t *next = dfa->next + (size_t)state * dfa->class_count;
		int status;

		for (uint32_t i = 0; i < dense->class_count; i++)
			cells[i] = rows[next[dfa->classes[bytes[i]]]];
		status = copy_list(dense, part, dfa->accepts[state], &cells[dense->class_count]);
		if (status == GM_MATCH_OK)
			status = copy_list(dense, part, dfa->end_accepts[state],
					   &cells[dense->class_count + 1]);
		if (status != GM_MATCH_OK)
			return status;
	}
	dense->starts[dense->parts++] = rows[0];
	dense->states += dfa->state_count;
	dense->subset_states += dfa->subset_states;
	return GM_MATCH_OK;
}

/* Half the bytes where all offsets and lists fit: more of the table is in the cache. */
static int shrink(struct gm_dense *dense)
{
	if (dense->cells > SMALL_CELLS || dense->lists.count > SMALL_CELLS)
		return GM_MATCH_OK;
	dense->cells16 = malloc((dense->cells + (size_t)1) * sizeof(uint16_t));
	if (!dense->cells16)
		return GM_MATCH_MEMORY;
	for (uint32_t i = 0; i < dense->cells; i++)
		dense->cells16[i] = (uint16_t)dense->cells32[i];
	free(dense->cells32);
	dense->cells32 = NULL;
	return GM_MATCH_OK;
}

static int fill(struct gm_dense *dense, const struct gm_parts *parts)
{
	uint32_t *rows[GM_PARTS] = { NULL };
	uint8_t bytes[256] = { 0 };
	int status = gm_lists_init(&dense->lists);

	join_classes(dense, parts, bytes);
	dense->row = dense->class_count + LISTS;
	if (status == GM_MATCH_OK && !place_rows(dense, parts, rows))
		status = GM_MATCH_MEMORY;
	if (status == GM_MATCH_OK) {
		dense->cells32 = calloc(dense->cells + (size_t)1, sizeof(uint32_t));
		status = dense->cells32 ? GM_MATCH_OK : GM_MATCH_MEMORY;
	}
	for (uint32_t i = 0; i < parts->count && status == GM_MATCH_OK; i++)
		status = fill_part(dense, &parts->parts[i], rows[i], bytes);
	for (uint32_t i = 0; i < parts->count; i++)
		free(rows[i]);
	return status == GM_MATCH_OK ? shrink(dense) : status;
}

static void *dense_build(const struct gm_patterns *patterns, const struct gm_match_bounds *bounds,
			 struct gm_match_error *error)
{
	struct gm_dense *dense = calloc(1, sizeof(*dense));
	struct gm_parts *parts = malloc(sizeof(*parts));
	int status = GM_MATCH_MEMORY;

	if (dense && parts) {
		dense->patterns = patterns->count;
		dense->positions = patterns->positions;
		status = gm_parts_build(parts, patterns, bounds, error);
		if (status == GM_MATCH_OK) {
			dense->peak_bytes = parts->peak_bytes;
			status = fill(dense, parts);
			gm_parts_free(parts);
		}
	}
	free(parts);
	if (status == GM_MATCH_OK)
		dense->hits = gm_lanes_hits(dense->patterns);
	if (status == GM_MATCH_OK && dense->hits)
		return dense;
	error->reason = error->reason ? error->reason : "no memory";
	dense_free(dense);
	return NULL;
}

static uint64_t dense_bytes(const void *engine)
{
	const struct gm_dense *dense = engine;
	uint64_t lists =
		((uint64_t)dense->lists.count + 1 + dense->lists.id_count) * sizeof(uint32_t);

	return dense->cells * (dense->cells16 ? sizeof(uint16_t) : sizeof(uint32_t)) + lists +
	       sizeof(dense->classes);
}

static void dense_count(const void *engine, struct gm_counters *counters)
{
	const struct gm_dense *dense = engine;

	gm_counters_add(counters, "positions", dense->positions);
	gm_counters_add(counters, "parts", dense->parts);
	gm_counters_add(counters, "subset_states", dense->subset_states);
	gm_counters_add(counters, "states", dense->states);
	gm_counters_add(counters, "classes", dense->class_count);
	gm_counters_add(counters, "cell_bytes", dense->cells16 ? 2 : 4);
	gm_counters_add(counters, "build_peak_bytes", dense->peak_bytes);
}

const struct gm_engine gm_engine_dfa = {
	"dfa",	     "minimal deterministic automata as one table, eight records at a time",
	dense_build, gm_dense_scan,
	dense_count, dense_bytes,
	dense_free,
};
