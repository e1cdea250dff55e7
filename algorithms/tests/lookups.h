/* SPDX-License-Identifier: Apache-2.0 */
/* A random table, keys that hit its edges, and what the unibit trie finds for them. */
#ifndef GM_TESTS_LOOKUPS_H
#define GM_TESTS_LOOKUPS_H

#include "gm/unibit.h"
#include "tests/tables.h"

struct gm_lookups {
	struct gm_prefixes prefixes;
	struct gm_key *keys;
	uint32_t *keys4;
	uint32_t *expected;
	uint32_t *results; /* of the structure under test */
	uint32_t count;
};

static inline struct gm_key key_next(struct gm_key key, int up)
{
	if (up) {
		key.lo++;
		key.hi += key.lo == 0;
	} else {
		key.hi -= key.lo == 0;
		key.lo--;
	}
	return key;
}

/* The first and last address of a prefix, and the two just outside. */
static inline void keys_at(struct gm_key *keys, const struct gm_route *route, unsigned family)
{
	struct gm_key mask = gm_key_mask(route->length);

	keys[0] = route->key;
	keys[1].hi = route->key.hi | ~mask.hi;
	keys[1].lo = route->key.lo | ~mask.lo;
	if (family == 4) {
		keys[2] = gm_key4((uint32_t)(keys[0].hi >> 32) - 1);
		keys[3] = gm_key4((uint32_t)(keys[1].hi >> 32) + 1);
	} else {
		keys[2] = key_next(keys[0], 0);
		keys[3] = key_next(keys[1], 1);
	}
}

static inline void lookups_expect(struct gm_lookups *lookups)
{
	uint32_t bits = lookups->prefixes.family == 4 ? 32 : 128;
	struct gm_unibit trie;

	if (gm_unibit_build(&trie, &lookups->prefixes))
		abort();
	for (uint32_t i = 0; i < lookups->count; i++) {
		if (bits == 32)
			lookups->keys[i].lo = 0;
		lookups->keys4[i] = (uint32_t)(lookups->keys[i].hi >> 32);
		lookups->expected[i] = gm_unibit_lookup(&trie, &lookups->keys[i], bits);
	}
	gm_unibit_free(&trie);
}

/* A table of up to `most` prefixes; the count of keys is no multiple of a batch. */
static inline void lookups_draw(struct gm_lookups *lookups, struct gm_random *random,
				unsigned family, uint32_t most)
{
	uint32_t edges;

	table_draw(&lookups->prefixes, random, family, most);
	edges = 4 * lookups->prefixes.count;
	lookups->count = edges + gm_random_below(random, 200);
	lookups->keys = malloc((lookups->count + 1) * sizeof(*lookups->keys));
	lookups->keys4 = malloc((lookups->count + 1) * sizeof(uint32_t));
	lookups->expected = malloc((lookups->count + 1) * sizeof(uint32_t));
	lookups->results = malloc((lookups->count + 1) * sizeof(uint32_t));
	if (!lookups->keys || !lookups->keys4 || !lookups->expected || !lookups->results)
		abort();
	for (uint32_t i = 0; i < lookups->prefixes.count; i++)
		keys_at(lookups->keys + (size_t)4 * i, &lookups->prefixes.routes[i], family);
	for (uint32_t i = edges; i < lookups->count; i++) {
		lookups->keys[i].hi = gm_random_u64(random);
		lookups->keys[i].lo = gm_random_u64(random);
	}
	lookups_expect(lookups);
}

/* Whether the results are the expected ones; they are wiped for the next check. */
static inline int lookups_hold(struct gm_lookups *lookups)
{
	int same = 1;

	for (uint32_t i = 0; i < lookups->count; i++) {
		same &= lookups->results[i] == lookups->expected[i];
		lookups->results[i] = UINT32_MAX;
	}
	return same;
}

static inline void lookups_free(struct gm_lookups *lookups)
{
	gm_prefixes_free(&lookups->prefixes);
	free(lookups->keys);
	free(lookups->keys4);
	free(lookups->expected);
	free(lookups->results);
}

#endif
