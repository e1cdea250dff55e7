/* SPDX-License-Identifier: Apache-2.0 */
/* The three query mixes; seeds and the order of draws are fixed, so that digests compare. */
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

struct zipf {
	struct gm_key *addresses; /* by rank, from the most frequent */
	uint64_t *sums; /* of the weights up to each rank */
	uint32_t count;
};

static void zipf_weigh(struct zipf *zipf, const struct gm_prefixes *prefixes, uint32_t *order,
		       struct gm_random *random)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < zipf->count; i++)
		order[i] = i;
	for (uint32_t i = zipf->count - 1; i > 0; i--) {
		uint32_t other = gm_random_below(random, i + 1);
		uint32_t swapped = order[i];

		order[i] = order[other];
		order[other] = swapped;
	}
	for (uint32_t i = 0; i < zipf->count; i++) {
		zipf->addresses[i] = within(&prefixes->routes[order[i]], random, prefixes->family);
		sum += (UINT64_C(1) << 32) / (i + 1);
		zipf->sums[i] = sum;
	}
}

/* The place of the first sum above `value`. */
static uint32_t zipf_rank(const struct zipf *zipf, uint64_t value)
{
	uint32_t low = 0;
	uint32_t high = zipf->count - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (zipf->sums[middle] > value)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static int draw_zipf(const struct gm_prefixes *prefixes, struct gm_key *keys, size_t count)
{
	struct zipf zipf = { NULL, NULL, prefixes->count };
	uint32_t *order = malloc(zipf.count * sizeof(*order));
	struct gm_random random = { 3 };
	int error = GM_LPM_NO_MEMORY;

	zipf.addresses = malloc(zipf.count * sizeof(*zipf.addresses));
	zipf.sums = malloc(zipf.count * sizeof(*zipf.sums));
	if (order && zipf.addresses && zipf.sums) {
		zipf_weigh(&zipf, prefixes, order, &random);
		for (size_t i = 0; i < count; i++) {
			uint64_t value = gm_random_u64(&random) % zipf.sums[zipf.count - 1];

			keys[i] = zipf.addresses[zipf_rank(&zipf, value)];
		}
		error = GM_LPM_OK;
	}
	free(order);
	free(zipf.addresses);
	free(zipf.sums);
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
