/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/prefixes.h"

#include "gm/random.h"
#include "lpm/address.h"

#include <stdlib.h>
#include <string.h>

/* So that sizes in bytes fit 32 bits. */
enum { ROUTES_MOST = 1 << 26 };

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

void gm_prefixes_sort(struct gm_prefixes *prefixes)
{
	uint32_t kept = 0;

	if (prefixes->count)
		qsort(prefixes->routes, prefixes->count, sizeof(*prefixes->routes), order);
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

/* A line without its end; `\r` belongs to the end. */
static struct gm_text line_of(const char *text, size_t size)
{
	const char *newline = memchr(text, '\n', size);
	struct gm_text line = { text, newline ? newline : text + size };

	if (line.end > line.at && line.end[-1] == '\r')
		line.end--;
	return line;
}

static int parse_line(struct gm_prefixes *prefixes, struct gm_text line, const char **reason)
{
	struct gm_route route;
	struct gm_key mask;
	unsigned family;

	if (line.at == line.end || *line.at == '#')
		return GM_LPM_OK;
	*reason = gm_address_parse(line, &family, &route.key, &route.length);
	if (*reason)
		return GM_LPM_BAD_LINE;
	if (family != prefixes->family)
		return GM_LPM_OK;
	mask = gm_key_mask(route.length);
	route.key.hi &= mask.hi;
	route.key.lo &= mask.lo;
	route.next_hop = 0;
	return gm_prefixes_add(prefixes, &route);
}

int gm_prefixes_parse(struct gm_prefixes *prefixes, unsigned family, const char *text, size_t size,
		      struct gm_prefixes_problem *problem)
{
	const char *end = text + size;
	int error = GM_LPM_OK;

	memset(prefixes, 0, sizeof(*prefixes));
	memset(problem, 0, sizeof(*problem));
	prefixes->family = family;
	while (text < end && !error) {
		struct gm_text line = line_of(text, (size_t)(end - text));
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		problem->line++;
		error = parse_line(prefixes, line, &problem->reason);
		text = newline ? newline + 1 : end;
	}
	if (error)
		gm_prefixes_free(prefixes);
	else
		gm_prefixes_sort(prefixes);
	return error;
}

void gm_prefixes_free(struct gm_prefixes *prefixes)
{
	free(prefixes->routes);
	prefixes->routes = NULL;
	prefixes->count = 0;
	prefixes->capacity = 0;
}
