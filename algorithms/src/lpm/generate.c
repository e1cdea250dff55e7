/* SPDX-License-Identifier: Apache-2.0 */
/* A table of IPv4 prefixes with a chosen nesting depth, from a seed. */
#include "gm/prefixes.h"
#include "gm/random.h"
#include "gm/unibit.h"

enum { SHORTEST = 8, LONGEST = 24, TRIES = 1000000 };

/* Of 100 prefixes of the Internet's table, how many have a length of at most 8, 9, ... 24. */
static const uint8_t lengths[LONGEST - SHORTEST + 1] = { 0, 0, 0, 0,  0,  1,  1,  1,  2,
							 3, 4, 7, 11, 16, 28, 38, 100 };

struct generator {
	struct gm_prefixes *prefixes;
	struct gm_unibit trie;
	struct gm_random random;
	uint64_t depth_sum;
};

static uint32_t length_drawn(struct gm_random *random)
{
	uint32_t percent = gm_random_below(random, 100);
	uint32_t length = SHORTEST;

	while (lengths[length - SHORTEST] <= percent)
		length++;
	return length;
}

/* The depth that a prefix would have, or 0 if it is there already or covers another. */
static uint32_t depth_of(const struct gm_unibit *trie, const struct gm_route *route)
{
	uint32_t depth = 1;
	uint32_t node = 0;

	for (uint32_t i = 0; i < route->length; i++) {
		node = trie->nodes[node].child[gm_key_bit(&route->key, i)];
		if (!node)
			return depth;
		depth += trie->nodes[node].next_hop != 0;
	}
	return 0;
}

/* An address that a network can have (below 224.0.0.0), or one of the parent's. */
static struct gm_route route_drawn(struct generator *generator, const struct gm_route *parent)
{
	struct gm_route route = { { 0, 0 }, length_drawn(&generator->random), 1 };
	uint32_t address = gm_random_u32(&generator->random);

	if (parent) {
		struct gm_key mask = gm_key_mask(parent->length);

		route.key.hi = parent->key.hi | (gm_key4(address).hi & ~mask.hi);
	} else {
		route.key = gm_key4((1 + gm_random_below(&generator->random, 223)) << 24 |
				    (address & 0xffffff));
	}
	route.key.hi &= gm_key_mask(route.length).hi;
	return route;
}

/* Whether the next prefix lies in one that is there: so that the average depth comes out. */
static int shall_nest(const struct generator *generator, uint32_t permille)
{
	uint64_t after = generator->prefixes->count + 1;

	return (generator->depth_sum + 1) * 1000 < permille * after;
}

static int keep(struct generator *generator, const struct gm_route *route, uint32_t depth)
{
	int error = gm_unibit_insert(&generator->trie, route);

	if (error)
		return error;
	generator->depth_sum += depth;
	return gm_prefixes_add(generator->prefixes, route);
}

/* A chain of `deepest` prefixes, each in the one before it: /8, /10, ... */
static int chain(struct generator *generator, uint32_t count, uint32_t deepest)
{
	uint32_t address = (1 + gm_random_below(&generator->random, 223)) << 24;
	int error = GM_LPM_OK;

	for (uint32_t i = 0; i < deepest && i < count && !error; i++) {
		struct gm_route route = { gm_key4(address), SHORTEST + 2 * i, 1 };

		error = keep(generator, &route, i + 1);
	}
	return error;
}

static int draw(struct generator *generator, uint32_t count, uint32_t permille, uint32_t deepest)
{
	struct gm_prefixes *prefixes = generator->prefixes;

	for (uint32_t tries = 0; prefixes->count < count && tries < TRIES + 64 * count; tries++) {
		int nested = shall_nest(generator, permille);
		uint32_t parent = nested ? gm_random_below(&generator->random, prefixes->count) : 0;
		struct gm_route route =
			route_drawn(generator, nested ? &prefixes->routes[parent] : NULL);
		uint32_t depth = 0;
		int error;

		if (!nested || route.length > prefixes->routes[parent].length)
			depth = depth_of(&generator->trie, &route);
		if (depth == 0 || depth > deepest || (depth > 1) != nested)
			continue;
		error = keep(generator, &route, depth);
		if (error)
			return error;
	}
	return prefixes->count == count ? GM_LPM_OK : GM_LPM_TOO_LARGE;
}

int gm_prefixes_generate(struct gm_prefixes *prefixes, uint32_t count, uint64_t seed,
			 uint32_t depth_permille, uint32_t deepest)
{
	struct generator generator = { prefixes, { 0 }, { seed }, 0 };
	int error = gm_unibit_init(&generator.trie);

	prefixes->routes = NULL;
	prefixes->count = 0;
	prefixes->capacity = 0;
	prefixes->family = 4;
	if (!error)
		error = chain(&generator, count, deepest);
	if (!error)
		error = draw(&generator, count, depth_permille, deepest);
	gm_unibit_free(&generator.trie);
	if (error)
		gm_prefixes_free(prefixes);
	else
		gm_prefixes_sort(prefixes);
	return error;
}
