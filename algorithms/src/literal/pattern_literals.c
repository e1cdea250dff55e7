/* SPDX-License-Identifier: Apache-2.0 */
#include "literal/pattern_literals.h"

#include "common/grow.h"

#include <stdlib.h>
#include <string.h>

int gm_pattern_literals_add(struct gm_pattern_literals *literals, const struct gm_strings *strings,
			    uint32_t id)
{
	for (uint32_t i = 0; i < strings->count; i++) {
		const struct gm_string *string = &strings->strings[i];
		void *bytes = gm_grow(literals->bytes, &literals->byte_room,
				      literals->used + string->length, 1);
		void *grown = gm_grow(literals->literals, &literals->room, literals->count + 1,
				      sizeof(*literals->literals));

		literals->bytes = bytes ? bytes : literals->bytes;
		literals->literals = grown ? grown : literals->literals;
		if (!bytes || !grown)
			return GM_MATCH_MEMORY;
		memcpy(literals->bytes + literals->used, string->bytes, string->length);
		literals->used += string->length;
		literals->literals[literals->count].length = string->length;
		literals->literals[literals->count].id = id;
		literals->literals[literals->count++].nocase = string->nocase;
	}
	return GM_MATCH_OK;
}

void gm_pattern_literals_end(struct gm_pattern_literals *literals)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < literals->count; i++) {
		literals->literals[i].bytes = literals->bytes + at;
		at += literals->literals[i].length;
	}
}

/* A pattern given as a literal, which may be longer than what strings of an expression hold. */
static int literal_add(struct gm_pattern_literals *literals, const struct gm_patterns *patterns,
		       uint32_t id)
{
	const struct gm_pattern *pattern = &patterns->patterns[id];
	void *bytes =
		gm_grow(literals->bytes, &literals->byte_room, literals->used + pattern->length, 1);
	void *grown = gm_grow(literals->literals, &literals->room, literals->count + 1,
			      sizeof(*literals->literals));

	literals->bytes = bytes ? bytes : literals->bytes;
	literals->literals = grown ? grown : literals->literals;
	if (!bytes || !grown)
		return GM_MATCH_MEMORY;
	memcpy(literals->bytes + literals->used, patterns->text + pattern->text, pattern->length);
	literals->used += pattern->length;
	literals->literals[literals->count].length = pattern->length;
	literals->literals[literals->count].id = id;
	literals->literals[literals->count++].nocase = (pattern->flags & GM_REGEX_CASELESS) != 0;
	return GM_MATCH_OK;
}

int gm_pattern_literals_exact(struct gm_pattern_literals *literals,
			      const struct gm_patterns *patterns, struct gm_match_error *error)
{
	int status = GM_MATCH_OK;

	memset(literals, 0, sizeof(*literals));
	for (uint32_t id = 0; id < patterns->count && status == GM_MATCH_OK; id++) {
		const struct gm_pattern *pattern = &patterns->patterns[id];
		struct gm_required required;

		if (pattern->flags & GM_REGEX_LITERAL && !(pattern->flags & GM_REGEX_ANCHORED) &&
		    pattern->length) {
			status = literal_add(literals, patterns, id);
			continue;
		}
		gm_required_of(patterns->forest, pattern->root, &required);
		if (!gm_strings_shortest(&required.exact) || required.loose) {
			error->reason = "the engine takes strings alone";
			error->line = pattern->line;
			return GM_MATCH_INPUT;
		}
		status = gm_pattern_literals_add(literals, &required.exact, id);
	}
	gm_pattern_literals_end(literals);
	return status;
}

void gm_pattern_literals_free(struct gm_pattern_literals *literals)
{
	free(literals->literals);
	free(literals->bytes);
}

int gm_pairs_room(struct gm_pairs *pairs, uint32_t least)
{
	uint32_t need = pairs->count > least ? pairs->count : least;
	void *grown = gm_grow(pairs->pairs, &pairs->room, need, sizeof(*pairs->pairs));

	if (!grown)
		return GM_MATCH_MEMORY;
	pairs->pairs = grown;
	pairs->count = 0;
	return GM_MATCH_OK;
}
