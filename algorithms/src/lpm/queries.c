/* SPDX-License-Identifier: Apache-2.0 */
/* The three query mixes; seeds and the order of draws are fixed, so that digests compare. */
#include "common/zipf.h"
#include "gm/prefixes.h"
#include "gm/random.h"

#include <stdlib.h>

static struct gm_key drawn(struct gm_random *random, unsigned family)
{
	struct gm_key key;

	if (family == 4)
		return gm_key4(gm_random_u32(random));
	key.hi = gm_random_u64(random);
	key.lo = gm_random_u64(random);
	return key;
}

/* An address of the prefix, with a random host part. */
static struct gm_key within(const struct gm_route *route, struct gm_random *random, unsigned family)
{
	struct gm_key mask = gm_key_mask(route->length);
	struct gm_key key = drawn(random, family);

	key.hi = route->key.hi | (key.hi & ~mask.hi);
	key.lo = route->key.lo | (key.lo & ~mask.lo);
	return key;
}

/* One address of each prefix, in an order by lot: by rank, from the most frequent. */
static void rank_addresses(const struct gm_prefixes *prefixes, struct gm_key *addresses,
			   uint32_t *order, struct gm_random *random)
{
	for (uint32_t i = 0; i < prefixes->count; i++)
		order[i] = i;
	for (uint32_t i = prefixes->count - 1; i > 0; i--) {
		uint32_t other = gm_random_below(random, i + 1);
		uint32_t swapped = order[i];

		order[i] = order[other];
		order[other] = swapped;
	}
	for (uint32_t i = 0; i < prefixes->count; i++)
		addresses[i] = within(&prefixes->routes[order[i]], random, prefixes->family);
}

static int draw_zipf(const struct gm_prefixes *prefixes, struct gm_key *keys, size_t count)
{
	uint32_t ranks = prefixes->count;
	uint32_t *order = malloc(ranks * sizeof(*order));
	struct gm_key *addresses = malloc(ranks * sizeof(*addresses));
	uint64_t *sums = malloc(ranks * sizeof(*sums));
	struct gm_random random = { 3 };
	int error = GM_LPM_NO_MEMORY;

	if (order && addresses && sums) {
		rank_addresses(prefixes, addresses, order, &random);
		gm_zipf_weigh(sums, ranks);
		for (size_t i = 0; i < count; i++)
			keys[i] = addresses[gm_zipf_draw(sums, ranks, &random)];
		error = GM_LPM_OK;
	}
	free(order);
	free(addresses);
	free(sums);
	return error;
}

int gm_queries_draw(const struct gm_prefixes *prefixes, enum gm_mix mix, struct gm_key *keys,
		    size_t count)
{
	struct gm_random random = { mix == GM_MIX_UNIFORM ? 1 : 2 };

	if (mix != GM_MIX_UNIFORM && prefixes->count == 0)
		return GM_LPM_ABSENT;
	if (mix == GM_MIX_ZIPF)
		return draw_zipf(prefixes, keys, count);
	for (size_t i = 0; i < count; i++) {
		if (mix == GM_MIX_UNIFORM) {
			keys[i] = drawn(&random, prefixes->family);
		} else {
			uint32_t chosen = gm_random_below(&random, prefixes->count);

			keys[i] = within(&prefixes->routes[chosen], &random, prefixes->family);
		}
	}
	return GM_LPM_OK;
}
