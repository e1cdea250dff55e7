/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/treebitmap.h"
#include "tests/lookups.h"
#include "tests/test.h"

static void is_the_oracle(struct gm_treebitmap *trie, struct gm_lookups *lookups)
{
	int is4 = lookups->prefixes.family == 4;

	if (is4)
		gm_treebitmap_lookup4_n(trie, lookups->keys4, lookups->results, lookups->count);
	else
		gm_treebitmap_lookup6_n(trie, lookups->keys, lookups->results, lookups->count);
	CHECK(lookups_hold(lookups));
#ifdef __x86_64__
	if (!__builtin_cpu_supports("popcnt"))
		return;
	if (is4)
		gm_treebitmap_lookup4_n_popcnt(trie, lookups->keys4, lookups->results,
					       lookups->count);
	else
		gm_treebitmap_lookup6_n_popcnt(trie, lookups->keys, lookups->results,
					       lookups->count);
	CHECK(lookups_hold(lookups));
#endif
}

static void built_tries_are_the_oracle(void)
{
	static const uint32_t bits[] = { 0, 1, 5, 13, 16 };
	struct gm_random random = { 21 };

	for (uint32_t round = 0; round < 90; round++) {
		struct gm_lookups lookups;
		struct gm_treebitmap trie;

		lookups_draw(&lookups, &random, round % 2 ? 6 : 4, 60);
		CHECK(gm_treebitmap_build(&trie, &lookups.prefixes, 4 + round % 3,
					  bits[round % 5]) == 0);
		is_the_oracle(&trie, &lookups);
		gm_treebitmap_free(&trie);
		lookups_free(&lookups);
	}
}

static void packed_first_arrays_are_the_oracle(void)
{
	static const uint32_t bits[] = { 5, 8, 13, 16, 20 };
	struct gm_random random = { 23 };

	for (uint32_t round = 0; round < 60; round++) {
		struct gm_lookups lookups;
		struct gm_treebitmap trie;

		lookups_draw(&lookups, &random, round % 2 ? 6 : 4, round < 2 ? 0 : 120);
		CHECK(gm_treebitmap_build_packed(&trie, &lookups.prefixes, 4 + round % 3,
						 bits[round % 5]) == 0);
		is_the_oracle(&trie, &lookups);
		gm_treebitmap_free(&trie);
		lookups_free(&lookups);
	}
}

/* Deletes every second prefix, and makes the expectation anew. */
static void halve(struct gm_treebitmap *trie, struct gm_lookups *lookups)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < lookups->prefixes.count; i++) {
		if (i % 2)
			CHECK(gm_treebitmap_delete(trie, &lookups->prefixes.routes[i]) == 0);
		else
			lookups->prefixes.routes[kept++] = lookups->prefixes.routes[i];
	}
	lookups->prefixes.count = kept;
	lookups_expect(lookups);
}

static void changed_tries_are_the_oracle(void)
{
	struct gm_random random = { 22 };

	for (uint32_t round = 0; round < 90; round++) {
		struct gm_prefixes none = { NULL, 0, 0, 4, 0 };
		struct gm_lookups lookups;
		struct gm_treebitmap trie;
		size_t empty;

		lookups_draw(&lookups, &random, round % 2 ? 6 : 4, 60);
		CHECK(gm_treebitmap_build(&trie, &none, 4 + round % 3, 0) == 0);
		empty = gm_treebitmap_bytes(&trie);
		for (uint32_t i = lookups.prefixes.count; i-- > 0;)
			CHECK(gm_treebitmap_insert(&trie, &lookups.prefixes.routes[i]) == 0);
		is_the_oracle(&trie, &lookups);
		halve(&trie, &lookups);
		is_the_oracle(&trie, &lookups);
		for (uint32_t i = 0; i < lookups.prefixes.count; i++) {
			CHECK(gm_treebitmap_delete(&trie, &lookups.prefixes.routes[i]) == 0);
			CHECK(gm_treebitmap_delete(&trie, &lookups.prefixes.routes[i]) ==
			      GM_LPM_ABSENT);
		}
		CHECK(gm_treebitmap_nodes(&trie) == 1);
		CHECK(gm_treebitmap_bytes(&trie) == empty);
		gm_treebitmap_free(&trie);
		lookups_free(&lookups);
	}
}

static void a_first_array_takes_no_changes(void)
{
	struct gm_prefixes none = { NULL, 0, 0, 4, 0 };
	struct gm_route route = { { 0, 0 }, 0, 1 };
	struct gm_treebitmap trie;

	CHECK(gm_treebitmap_build(&trie, &none, 4, 13) == 0);
	CHECK(gm_treebitmap_insert(&trie, &route) == GM_LPM_STATIC);
	CHECK(gm_treebitmap_delete(&trie, &route) == GM_LPM_STATIC);
	gm_treebitmap_free(&trie);
}

static void node_counts_are_the_specified_ones(void)
{
	static const char *const tables[] = { "fit-like-1009.txt", "but-like-10084.txt" };
	static const struct {
		uint32_t stride, bits, nodes[2];
	} counts[] = {
		{ 4, 0, { 875, 8898 } },  { 5, 0, { 243, 1948 } },  { 4, 9, { 372, 3151 } },
		{ 4, 13, { 364, 3147 } }, { 4, 17, { 352, 3098 } }, { 5, 15, { 226, 1938 } },
		{ 5, 20, { 198, 1763 } }, { 6, 13, { 134, 1139 } }, { 6, 19, { 122, 1090 } },
	};

	for (int table = 0; table < 2; table++) {
		struct gm_prefixes prefixes;

		if (!table_read(&prefixes, 4, tables[table]))
			return;
		for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
			struct gm_treebitmap trie;

			CHECK(gm_treebitmap_build(&trie, &prefixes, counts[i].stride,
						  counts[i].bits) == 0);
			CHECK(gm_treebitmap_nodes(&trie) == counts[i].nodes[table]);
			gm_treebitmap_free(&trie);
		}
		gm_prefixes_free(&prefixes);
	}
}

static const struct test tests[] = {
	{ "a built TreeBitmap finds what the oracle finds", built_tries_are_the_oracle },
	{ "one with a packed first array finds it too", packed_first_arrays_are_the_oracle },
	{ "a changed TreeBitmap finds what the oracle finds", changed_tries_are_the_oracle },
	{ "a first array takes no changes", a_first_array_takes_no_changes },
	{ "node counts are the specified ones", node_counts_are_the_specified_ones },
};

TESTS_MAIN(tests)
