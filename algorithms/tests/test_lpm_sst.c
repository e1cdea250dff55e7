/* SPDX-License-Identifier: Apache-2.0 */
#include "gm/shape_shifting_trie.h"
#include "tests/lookups.h"
#include "tests/test.h"

static void is_the_oracle(const struct gm_sst *trie, struct gm_lookups *lookups)
{
	int is4 = lookups->prefixes.family == 4;

	if (is4)
		gm_sst_lookup4_n(trie, lookups->keys4, lookups->results, lookups->count);
	else
		gm_sst_lookup6_n(trie, lookups->keys, lookups->results, lookups->count);
	CHECK(lookups_hold(lookups));
#ifdef __x86_64__
	if (!__builtin_cpu_supports("popcnt"))
		return;
	if (is4)
		gm_sst_lookup4_n_popcnt(trie, lookups->keys4, lookups->results, lookups->count);
	else
		gm_sst_lookup6_n_popcnt(trie, lookups->keys, lookups->results, lookups->count);
	CHECK(lookups_hold(lookups));
#endif
}

static void random_tries(void)
{
	struct gm_random random = { 31 };

	for (uint32_t round = 0; round < 120; round++) {
		struct gm_lookups lookups;
		struct gm_sst trie;

		lookups_draw(&lookups, &random, round % 2 ? 6 : 4, 60);
		CHECK(gm_sst_build(&trie, &lookups.prefixes, round % 3 ? 15 : 7,
				   round % 5 ? GM_SST_HEIGHT : GM_SST_MERGED) == 0);
		is_the_oracle(&trie, &lookups);
		gm_sst_free(&trie);
		lookups_free(&lookups);
	}
}

struct counts {
	const char *table;
	uint32_t size;
	uint32_t height;
	uint32_t nodes;
	uint32_t merged; /* within 1 % */
};

static void check_counts(const struct counts *counts)
{
	struct gm_prefixes prefixes;
	struct gm_sst trie;

	if (!table_read(&prefixes, 4, counts->table))
		return;
	CHECK(gm_sst_build(&trie, &prefixes, counts->size, GM_SST_HEIGHT) == 0);
	CHECK(trie.node_count == counts->nodes && trie.height == counts->height);
	gm_sst_free(&trie);
	CHECK(gm_sst_build(&trie, &prefixes, counts->size, GM_SST_MERGED) == 0);
	CHECK(trie.height == counts->height);
	CHECK(trie.node_count * 100 >= counts->merged * 99);
	CHECK(trie.node_count * 100 <= counts->merged * 101);
	gm_sst_free(&trie);
	gm_prefixes_free(&prefixes);
}

static void counts_are_the_specified_ones(void)
{
	static const struct counts counts[] = {
		{ "fit-like-1009.txt", 7, 6, 503, 454 },
		{ "fit-like-1009.txt", 15, 4, 243, 224 },
		{ "but-like-10084.txt", 7, 7, 4671, 4263 },
		{ "but-like-10084.txt", 15, 5, 2319, 2129 },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		check_counts(&counts[i]);
}

static const struct test tests[] = {
	{ "a Shape Shifting Trie finds what the oracle finds", random_tries },
	{ "counts of nodes and heights are the specified ones", counts_are_the_specified_ones },
};

TESTS_MAIN(tests)
