/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/prefixes.h"

#include "common/grow.h"
#include "gm/random.h"
#include "table/binary.h"
#include "table/line.h"
#include "table/word.h"

#include <stdlib.h>
#include <string.h>

/* So that sizes in bytes fit 32 bits. */
enum { ROUTES_MOST = 1 << 26 };
/* Twice as many as there are next hops at most. */
enum { HOP_SLOTS = 1 << 16 };

int gm_prefixes_add(struct gm_prefixes *prefixes, const struct gm_route *route)
{
	if (prefixes->count == prefixes->capacity) {
		uint32_t capacity = prefixes->capacity ? prefixes->capacity * 2 : 256;
		struct gm_route *routes;

		if (capacity > ROUTES_MOST)
			return GM_LPM_TOO_LARGE;
		routes = realloc(prefixes->routes, capacity * sizeof(*routes));
		if (!routes)
			return GM_LPM_NO_MEMORY;
		prefixes->routes = routes;
		prefixes->capacity = capacity;
	}
	prefixes->routes[prefixes->count++] = *route;
	return GM_LPM_OK;
}

static int order(const void *left, const void *right)
{
	const struct gm_route *a = left;
	const struct gm_route *b = right;

	if (a->key.hi != b->key.hi)
		return a->key.hi < b->key.hi ? -1 : 1;
	if (a->key.lo != b->key.lo)
		return a->key.lo < b->key.lo ? -1 : 1;
	return (a->length > b->length) - (a->length < b->length);
}

/* Of routes with one prefix the first is that of the lowest next hop: the same by any qsort(). */
static int order_hops(const void *left, const void *right)
{
	const struct gm_route *a = left;
	const struct gm_route *b = right;
	int ordered = order(a, b);

	return ordered ? ordered : (a->next_hop > b->next_hop) - (a->next_hop < b->next_hop);
}

void gm_prefixes_sort(struct gm_prefixes *prefixes)
{
	uint32_t kept = 0;

	if (prefixes->count)
		qsort(prefixes->routes, prefixes->count, sizeof(*prefixes->routes), order_hops);
	for (uint32_t i = 0; i < prefixes->count; i++) {
		if (kept && order(&prefixes->routes[kept - 1], &prefixes->routes[i]) == 0)
			continue;
		prefixes->routes[kept++] = prefixes->routes[i];
	}
	prefixes->count = kept;
}

void gm_prefixes_next_hops(struct gm_prefixes *prefixes, uint32_t kinds)
{
	for (uint32_t i = 0; i < prefixes->count; i++) {
		struct gm_route *route = &prefixes->routes[i];
		uint64_t mixed;

		if (prefixes->family == 4)
			mixed = gm_mix64((route->key.hi >> 32) << 8 | route->length);
		else
			mixed = gm_mix64(route->key.hi ^ gm_mix64(route->key.lo) ^ route->length);
		route->next_hop = 1 + (uint32_t)(((mixed >> 32) * kinds) >> 32);
	}
}

/* Next hops by their text; an open hash table. */
struct hops {
	struct gm_text *slots;
	uint32_t *numbers;
	uint32_t count;
	uint32_t *of_route; /* by its place in the file */
	uint32_t room;
	int any; /* whether a route so far names one */
};

static uint32_t hash_of(struct gm_text text)
{
	uint64_t hash = 0;

	for (; text.at < text.end; text.at++)
		hash = gm_mix64(hash ^ (uint8_t)*text.at);
	return (uint32_t)hash % HOP_SLOTS;
}

/* The number of a next hop, from 1; 0 where it is one too many. */
static uint32_t hop_number(struct hops *hops, struct gm_text text)
{
	uint32_t slot = hash_of(text);

	while (hops->numbers[slot] && !is_same(hops->slots[slot], text))
		slot = (slot + 1) % HOP_SLOTS;
	if (!hops->numbers[slot]) {
		if (hops->count == GM_NEXT_HOP_MOST)
			return 0;
		hops->slots[slot] = text;
		hops->numbers[slot] = ++hops->count;
	}
	return hops->numbers[slot];
}

static int add_route(struct gm_prefixes *prefixes, struct hops *hops, const struct gm_line *line)
{
	struct gm_key mask = gm_key_mask(line->length);
	struct gm_route route = { { line->key.hi & mask.hi, line->key.lo & mask.lo },
				  line->length,
				  prefixes->count };
	uint32_t number = hop_number(hops, line->next_hop);
	void *grown =
		gm_grow(hops->of_route, &hops->room, prefixes->count + 1, sizeof(*hops->of_route));

	if (!grown)
		return GM_LPM_NO_MEMORY;
	hops->of_route = grown;
	if (!number)
		return GM_LPM_TOO_LARGE;
	hops->of_route[prefixes->count] = number;
	hops->any |= line->next_hop.at < line->next_hop.end;
	return gm_prefixes_add(prefixes, &route);
}

static void note_bad(struct gm_prefixes_problem *problem, const char *reason)
{
	if (problem->bad < GM_PREFIXES_NAMED) {
		problem->named[problem->bad].line = problem->line;
		problem->named[problem->bad].reason = reason;
	}
	problem->bad++;
}

/* Names of columns, in lines before the first route. */
static int is_head(struct gm_text text)
{
	for (; text.at < text.end; text.at++) {
		if (is_digit(*text.at))
			return 0;
	}
	return 1;
}

static int parse_line(struct gm_prefixes *prefixes, struct hops *hops, struct gm_text text,
		      struct gm_context *context, struct gm_prefixes_problem *problem)
{
	struct gm_line line;

	gm_line_read(text, context, &line);
	if (line.kind == GM_LINE_BAD && !prefixes->count && is_head(text))
		line.kind = GM_LINE_NO_ROUTE;
	if (line.kind == GM_LINE_BAD)
		note_bad(problem, line.reason);
	if (line.kind == GM_LINE_ROUTE && (!line.family || line.family == prefixes->family))
		return add_route(prefixes, hops, &line);
	problem->other_family += line.kind == GM_LINE_ROUTE;
	problem->no_route += line.kind == GM_LINE_NO_ROUTE;
	return GM_LPM_OK;
}

static int parse_lines(struct gm_prefixes *prefixes, struct hops *hops, const char *text,
		       const char *end, struct gm_prefixes_problem *problem)
{
	struct gm_context context = { 0, { NULL, NULL }, 0 };
	uint32_t lines = 0;
	int error = GM_LPM_OK;

	while (text < end && !error) {
		const char *next;
		struct gm_text line;

		problem->line = lines + 1;
		line = gm_line_take(text, end, &next, &lines);
		error = parse_line(prefixes, hops, line, &context, problem);
		text = next;
	}
	if (!problem->bad)
		return error;
	problem->line = problem->named[0].line;
	problem->reason = problem->named[0].reason;
	return GM_LPM_BAD_LINE;
}

/* Numbers the next hops of the routes that stay anew, in the order of the file. */
static void number_again(struct gm_prefixes *prefixes, struct hops *hops)
{
	memset(hops->numbers, 0, HOP_SLOTS * sizeof(*hops->numbers));
	for (uint32_t i = 0; i < prefixes->count; i++)
		hops->numbers[prefixes->routes[i].next_hop] = 1;
	for (uint32_t before = 1; before <= hops->count; before++) {
		if (hops->numbers[before])
			hops->numbers[before] = ++prefixes->next_hops;
	}
	for (uint32_t i = 0; i < prefixes->count; i++)
		prefixes->routes[i].next_hop = hops->numbers[prefixes->routes[i].next_hop];
}

/* Of a prefix with several routes the first of the file stays. */
static void finish(struct gm_prefixes *prefixes, struct hops *hops,
		   struct gm_prefixes_problem *problem)
{
	uint32_t count = prefixes->count;

	gm_prefixes_sort(prefixes);
	problem->repeated = count - prefixes->count;
	for (uint32_t i = 0; i < prefixes->count; i++) {
		struct gm_route *route = &prefixes->routes[i];

		route->next_hop = hops->any ? hops->of_route[route->next_hop] : 0;
	}
	if (hops->any)
		number_again(prefixes, hops);
}

int gm_prefixes_parse(struct gm_prefixes *prefixes, unsigned family, const char *text, size_t size,
		      struct gm_prefixes_problem *problem)
{
	struct hops hops = { NULL, NULL, 0, NULL, 0, 0 };
	size_t mark = gm_binary_mark((const uint8_t *)text, size);
	int error = GM_LPM_NO_MEMORY;

	memset(prefixes, 0, sizeof(*prefixes));
	memset(problem, 0, sizeof(*problem));
	prefixes->family = family;
	problem->reason = gm_binary_table((const uint8_t *)text, size);
	if (problem->reason)
		return GM_LPM_BAD_LINE;
	hops.slots = malloc(HOP_SLOTS * sizeof(*hops.slots));
	hops.numbers = calloc(HOP_SLOTS, sizeof(*hops.numbers));
	if (hops.slots && hops.numbers)
		error = parse_lines(prefixes, &hops, text + mark, text + size, problem);
	if (error)
		gm_prefixes_free(prefixes);
	else
		finish(prefixes, &hops, problem);
	free(hops.slots);
	free(hops.numbers);
	free(hops.of_route);
	return error;
}

void gm_prefixes_free(struct gm_prefixes *prefixes)
{
	free(prefixes->routes);
	prefixes->routes = NULL;
	prefixes->count = 0;
	prefixes->capacity = 0;
}
