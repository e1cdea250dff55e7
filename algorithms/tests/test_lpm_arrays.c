/* SPDX-License-Identifier: Apache-2.0 */
/* Poptrie, DXR, DIR-24-8 and the tries of wide steps against the unibit trie, and their specified sizes. */
#include "gm/dir20.h"
#include "gm/dir24.h"
#include "gm/dxr.h"
#include "gm/impl.h"
#include "gm/mtrie.h"
#include "gm/mtrie6.h"
#include "gm/poptrie.h"
#include "tests/lookups.h"
#include "tests/test.h"

static void poptrie_is_the_oracle(struct gm_lookups *lookups, uint32_t bits)
{
	struct gm_poptrie trie;
	uint32_t count = lookups->count;

	CHECK(gm_poptrie_build(&trie, &lookups->prefixes, bits) == 0);
	if (lookups->prefixes.family == 4) {
		gm_poptrie_lookup4_n(&trie, lookups->keys4, lookups->results, count);
		CHECK(lookups_hold(lookups));
		for (uint32_t i = 0; i < count; i++)
			lookups->results[i] = gm_poptrie_lookup4(&trie, lookups->keys4[i]);
	} else {
		gm_poptrie_lookup6_n(&trie, lookups->keys, lookups->results, count);
		CHECK(lookups_hold(lookups));
		for (uint32_t i = 0; i < count; i++)
			lookups->results[i] = gm_poptrie_lookup6(&trie, &lookups->keys[i]);
	}
	CHECK(lookups_hold(lookups));
#ifdef __x86_64__
	if (__builtin_cpu_supports("popcnt")) {
		if (lookups->prefixes.family == 4)
			gm_poptrie_lookup4_n_popcnt(&trie, lookups->keys4, lookups->results, count);
		else
			gm_poptrie_lookup6_n_popcnt(&trie, lookups->keys, lookups->results, count);
		CHECK(lookups_hold(lookups));
	}
#endif
	gm_poptrie_free(&trie);
}

static void random_poptries(void)
{
	struct gm_random random = { 11 };

	for (int round = 0; round < 60; round++) {
		struct gm_lookups lookups;

		lookups_draw(&lookups, &random, round % 2 ? 6 : 4, 40);
		poptrie_is_the_oracle(&lookups, 1 + (uint32_t)round % 18);
		lookups_free(&lookups);
	}
}

static void random_dxrs(void)
{
	struct gm_random random = { 12 };

	for (int round = 0; round < 60; round++) {
		struct gm_lookups lookups;
		struct gm_dxr table;

		lookups_draw(&lookups, &random, 4, 200);
		CHECK(gm_dxr_build(&table, &lookups.prefixes, 16 + (uint32_t)round % 5) == 0);
		gm_dxr_lookup_n(&table, lookups.keys4, lookups.results, lookups.count);
		CHECK(lookups_hold(&lookups));
		gm_dxr_free(&table);
		lookups_free(&lookups);
	}
}

static void random_mtries(void)
{
	struct gm_random random = { 13 };

	for (int round = 0; round < 60; round++) {
		struct gm_lookups lookups;
		struct gm_mtrie trie;

		lookups_draw(&lookups, &random, 4, 200);
		CHECK(gm_mtrie_build(&trie, &lookups.prefixes) == 0);
		gm_mtrie_lookup_n(&trie, lookups.keys4, lookups.results, lookups.count);
		CHECK(lookups_hold(&lookups));
		for (uint32_t i = 0; i < lookups.count; i++)
			lookups.results[i] = gm_mtrie_lookup(&trie, lookups.keys4[i]);
		CHECK(lookups_hold(&lookups));
		gm_mtrie_free(&trie);
		lookups_free(&lookups);
	}
}

static void random_mtries6(void)
{
	struct gm_random random = { 15 };

	for (int round = 0; round < 60; round++) {
		struct gm_lookups lookups;
		struct gm_mtrie6 trie;

		lookups_draw(&lookups, &random, 6, (uint32_t)round % 10 * 20);
		CHECK(gm_mtrie6_build(&trie, &lookups.prefixes) == 0);
		gm_mtrie6_lookup_n(&trie, lookups.keys, lookups.results, lookups.count);
		CHECK(lookups_hold(&lookups));
		for (uint32_t i = 0; i < lookups.count; i++)
			lookups.results[i] = gm_mtrie6_lookup(&trie, &lookups.keys[i]);
		CHECK(lookups_hold(&lookups));
		gm_mtrie6_free(&trie);
		lookups_free(&lookups);
	}
}

static void random_dir24(void)
{
	struct gm_random random = { 14 };
	struct gm_lookups lookups;
	struct gm_dir24 table;

	lookups_draw(&lookups, &random, 4, 400);
	CHECK(gm_dir24_build(&table, &lookups.prefixes) == 0);
	gm_dir24_lookup_n(&table, lookups.keys4, lookups.results, lookups.count);
	CHECK(lookups_hold(&lookups));
#ifdef __x86_64__
	if (gm_impl_runs(GM_AVX512)) {
		gm_dir24_lookup_n_avx512(&table, lookups.keys4, lookups.results, lookups.count);
		CHECK(lookups_hold(&lookups));
	}
#endif
	gm_dir24_free(&table);
	lookups_free(&lookups);
}

static void random_dir20(void)
{
	struct gm_random random = { 16 };

	for (uint32_t most = 0; most < 900; most += 400) {
		struct gm_lookups lookups;
		struct gm_dir20 table;

		lookups_draw(&lookups, &random, 4, most);
		CHECK(gm_dir20_build(&table, &lookups.prefixes) == 0);
		gm_dir20_lookup_n(&table, lookups.keys4, lookups.results, lookups.count);
		CHECK(lookups_hold(&lookups));
#ifdef __x86_64__
		if (gm_impl_runs(GM_AVX512)) {
			gm_dir20_lookup_n_avx512(&table, lookups.keys4, lookups.results,
						 lookups.count);
			CHECK(lookups_hold(&lookups));
		}
#endif
		gm_dir20_free(&table);
		lookups_free(&lookups);
	}
}

struct sizes {
	const char *table;
	uint32_t nodes16, leaves16, nodes18, leaves18;
	uint32_t ranges16, ranges18, ranges20;
	uint32_t blocks;
};

static void check_sizes(const struct sizes *sizes)
{
	struct gm_prefixes prefixes;
	struct gm_poptrie poptrie;
	struct gm_mtrie mtrie;
	struct gm_dxr dxr;

	if (!table_read(&prefixes, 4, sizes->table))
		return;
	CHECK(gm_poptrie_build(&poptrie, &prefixes, 16) == 0);
	CHECK(poptrie.node_count == sizes->nodes16 && poptrie.leaf_count == sizes->leaves16);
	gm_poptrie_free(&poptrie);
	CHECK(gm_poptrie_build(&poptrie, &prefixes, 18) == 0);
	CHECK(poptrie.node_count == sizes->nodes18 && poptrie.leaf_count == sizes->leaves18);
	gm_poptrie_free(&poptrie);
	CHECK(gm_dxr_build(&dxr, &prefixes, 16) == 0);
	CHECK(dxr.range_count == sizes->ranges16);
	gm_dxr_free(&dxr);
	CHECK(gm_dxr_build(&dxr, &prefixes, 18) == 0);
	CHECK(dxr.range_count == sizes->ranges18);
	gm_dxr_free(&dxr);
	CHECK(gm_dxr_build(&dxr, &prefixes, 20) == 0);
	CHECK(dxr.range_count == sizes->ranges20);
	gm_dxr_free(&dxr);
	CHECK(gm_mtrie_build(&mtrie, &prefixes) == 0);
	CHECK(mtrie.block_count == sizes->blocks);
	gm_mtrie_free(&mtrie);
	gm_prefixes_free(&prefixes);
}

static void sizes_are_the_specified_ones(void)
{
	static const struct sizes sizes[] = {
		{ "fit-like-1009.txt", 390, 1278, 68, 1147, 1189, 1147, 1122, 41 },
		{ "but-like-10084.txt", 3501, 12459, 585, 11608, 11824, 11598, 11368, 271 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_sizes(&sizes[i]);
}

static const struct test tests[] = {
	{ "Poptrie finds what the oracle finds", random_poptries },
	{ "DXR finds what the oracle finds", random_dxrs },
	{ "the 16-8-8 trie finds what the oracle finds", random_mtries },
	{ "the IPv6 trie of 24 and 8 bits finds what the oracle finds", random_mtries6 },
	{ "DIR-24-8 finds what the oracle finds", random_dir24 },
	{ "one whose first array has two steps finds it too", random_dir20 },
	{ "counts of nodes, leaves, ranges and blocks are the specified ones",
	  sizes_are_the_specified_ones },
};

TESTS_MAIN(tests)
