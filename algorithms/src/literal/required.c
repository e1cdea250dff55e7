/* SPDX-License-Identifier: Apache-2.0 */
#include "literal/required.h"

#include <string.h>

enum { SET_BYTES = 4 }; /* larger sets are no strings */

uint32_t gm_strings_shortest(const struct gm_strings *strings)
{
	uint32_t shortest = strings->count ? UINT32_MAX : 0;

	for (uint32_t i = 0; i < strings->count; i++) {
		if (strings->strings[i].length < shortest)
			shortest = strings->strings[i].length;
	}
	return shortest;
}

/* Long strings are rare in texts; each further string costs a place in the filter. */
static uint32_t worth(const struct gm_strings *strings)
{
	uint32_t shortest = gm_strings_shortest(strings);

	return shortest ? 64 + 8 * (shortest < 8 ? shortest : 8) - strings->count : 0;
}

static void best_of(struct gm_strings *best, const struct gm_strings *other)
{
	if (worth(other) > worth(best))
		*best = *other;
}

static void nothing_long(struct gm_strings *strings)
{
	memset(strings, 0, sizeof(*strings));
	strings->count = 1;
}

static int joined(struct gm_string *string, const struct gm_string *after)
{
	if (string->length + after->length > GM_REQUIRED_BYTES)
		return 0;
	memcpy(string->bytes + string->length, after->bytes, after->length);
	string->length = (uint8_t)(string->length + after->length);
	string->nocase |= after->nocase;
	string->cased |= after->cased;
	return 1;
}

/* Each string of `run` before each of `after`; 0, and `run` as it was, if they are too many. */
static int product(struct gm_strings *run, const struct gm_strings *after)
{
	struct gm_strings made = { 0 };

	if (!after->count || run->count * after->count > GM_REQUIRED_STRINGS)
		return 0;
	for (uint32_t i = 0; i < run->count; i++) {
		for (uint32_t j = 0; j < after->count; j++) {
			made.strings[made.count] = run->strings[i];
			if (!joined(&made.strings[made.count++], &after->strings[j]))
				return 0;
		}
	}
	*run = made;
	return 1;
}

/* Adds the strings of `more`; none remain if they are too many or there are none. */
static void united(struct gm_strings *strings, const struct gm_strings *more)
{
	if (!more->count || strings->count + more->count > GM_REQUIRED_STRINGS) {
		strings->count = 0;
		return;
	}
	memcpy(strings->strings + strings->count, more->strings,
	       more->count * sizeof(*more->strings));
	strings->count += more->count;
}

static int is_letter(unsigned byte)
{
	return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z' && byte < 0x80;
}

static void of_set(const struct gm_byteset *set, struct gm_strings *exact)
{
	unsigned size = gm_byteset_count(set);

	if (size == 0 || size > SET_BYTES)
		return;
	for (unsigned byte = 0; byte < 256; byte++) {
		struct gm_string *string = &exact->strings[exact->count];

		if (!gm_byteset_has(set, byte))
			continue;
		/* A letter in both cases is one string, at its capital. */
		string->nocase = is_letter(byte) && gm_byteset_has(set, byte ^ 0x20);
		if (string->nocase && byte & 0x20)
			continue;
		string->cased = is_letter(byte) && !string->nocase;
		string->bytes[0] = (uint8_t)byte;
		string->length = 1;
		exact->count++;
	}
}

static void of_join(const struct gm_forest *forest, const struct gm_node *node,
		    struct gm_required *required)
{
	struct gm_strings run;
	int whole = 1;

	nothing_long(&run);
	for (uint32_t child = node->first; child; child = forest->nodes[child].next) {
		struct gm_required part;

		gm_required_of(forest, child, &part);
		required->loose |= part.loose;
		if (product(&run, &part.exact))
			continue;
		best_of(&required->best, &run);
		best_of(&required->best, &part.best);
		whole = 0;
		nothing_long(&run);
		product(&run, &part.exact);
	}
	best_of(&required->best, &run);
	if (whole)
		required->exact = run;
}

static void of_either(const struct gm_forest *forest, const struct gm_node *node,
		      struct gm_required *required)
{
	int exact = 1;
	int best = 1;

	for (uint32_t child = node->first; child; child = forest->nodes[child].next) {
		struct gm_required part;

		gm_required_of(forest, child, &part);
		required->loose |= part.loose;
		/* What was too many stays none. */
		if (exact)
			united(&required->exact, &part.exact);
		if (best)
			united(&required->best, &part.best);
		exact = required->exact.count > 0;
		best = required->best.count > 0;
	}
}

static void of_repeat(const struct gm_forest *forest, const struct gm_node *node,
		      struct gm_required *required)
{
	struct gm_required part;

	if (node->least == 0)
		return;
	gm_required_of(forest, node->first, &part);
	required->loose = part.loose;
	required->best = part.best;
	if (node->most != node->least || !part.exact.count)
		return;
	nothing_long(&required->exact);
	for (uint32_t i = 0; i < node->least && required->exact.count; i++) {
		if (!product(&required->exact, &part.exact))
			required->exact.count = 0;
	}
}

static int is_mixed(const struct gm_strings *strings)
{
	for (uint32_t i = 0; i < strings->count; i++) {
		if (strings->strings[i].nocase && strings->strings[i].cased)
			return 1;
	}
	return 0;
}

void gm_required_of(const struct gm_forest *forest, uint32_t node, struct gm_required *required)
{
	const struct gm_node *at = &forest->nodes[node];

	memset(required, 0, sizeof(*required));
	switch (at->kind) {
	case GM_NODE_EMPTY:
		nothing_long(&required->exact);
		break;
	case GM_NODE_ASSERT:
		nothing_long(&required->exact);
		required->loose = 1;
		break;
	case GM_NODE_SET:
		of_set(&forest->sets[at->value], &required->exact);
		break;
	case GM_NODE_JOIN:
		of_join(forest, at, required);
		break;
	case GM_NODE_EITHER:
		of_either(forest, at, required);
		break;
	default:
		of_repeat(forest, at, required);
		break;
	}
	required->loose |= is_mixed(&required->exact);
	best_of(&required->best, &required->exact);
}
