/* SPDX-License-Identifier: Apache-2.0 */
/* Blocked Bloom, blocked counting Bloom, cuckoo and binary fuse filters. */
#include "gm/binary_fuse.h"
#include "gm/blocked_bloom.h"
#include "gm/blocked_counting_bloom.h"
#include "gm/cuckoo.h"
#include "gm/digest.h"
#include "gm/error.h"
#include "tests/filter_keys.h"
#include "tests/test.h"

#include <string.h>

enum { KEYS = 20000, QUERIES = 100000 };

/* Of the answers to QUERIES others, and of the words of KEYS keys: the same on every processor. */
#define FUSE_DIGEST UINT64_C(0x354f3b6bef77ccb2)
#define BLOCKED_DIGEST UINT64_C(0x9acc93da8fec2de2)

static uint64_t keys[QUERIES];
static uint64_t others[QUERIES];
static uint8_t answers[QUERIES];

static void make_keys(void)
{
	for (uint32_t i = 0; i < QUERIES; i++) {
		keys[i] = fmix32(i);
		others[i] = fmix32((UINT32_C(1) << 31) + i);
	}
}

static uint32_t positives(uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += answers[i];
	return sum;
}

static void fuse_has_all_members_at_any_size(void)
{
	struct gm_binary_fuse fuse;

	make_keys();
	for (uint32_t n = 0; n <= 600; n++) {
		CHECK(gm_binary_fuse_build(&fuse, keys, n) == GM_OK);
		CHECK(fuse.slots == gm_binary_fuse_bytes(n));
		gm_binary_fuse_find_many(&fuse, keys, n, answers);
		CHECK(positives(n) == n);
		gm_binary_fuse_free(&fuse);
	}
}

static void fuse_has_the_specified_sizes(void)
{
	CHECK(gm_binary_fuse_bytes(0) == 12);
	CHECK(gm_binary_fuse_bytes(1) == 12);
	CHECK(gm_binary_fuse_bytes(2) == 12);
	CHECK(gm_binary_fuse_bytes(65536) == 77824);
	CHECK(gm_binary_fuse_bytes(1000000) == 1130496);
	CHECK(gm_binary_fuse_bytes(10000000) == 11272192);
}

static void fuse_errs_once_in_256(void)
{
	struct gm_binary_fuse fuse;

	make_keys();
	CHECK(gm_binary_fuse_build(&fuse, keys, KEYS) == GM_OK);
	gm_binary_fuse_find_many(&fuse, others, QUERIES, answers);
	CHECK(rate_fits(positives(QUERIES), QUERIES, 1.0 / 256));
	gm_binary_fuse_free(&fuse);
}

static void fuse_takes_keys_that_repeat(void)
{
	struct gm_binary_fuse fuse;

	make_keys();
	for (uint32_t i = 0; i < KEYS; i += 2)
		keys[i] = keys[i / 100];
	CHECK(gm_binary_fuse_build(&fuse, keys, KEYS) == GM_OK);
	gm_binary_fuse_find_many(&fuse, keys, KEYS, answers);
	CHECK(positives(KEYS) == KEYS);
	gm_binary_fuse_free(&fuse);
	for (uint32_t i = 0; i < KEYS; i++)
		keys[i] = 5;
	for (uint32_t n = 2; n <= 3; n++) {
		CHECK(gm_binary_fuse_build(&fuse, keys, n) == GM_OK);
		CHECK(gm_binary_fuse_find(&fuse, 5));
		gm_binary_fuse_free(&fuse);
	}
}

/* A larger filter after a smaller one, and the smaller again: the workspace grows, and is used up. */
static void fuse_is_built_in_a_workspace(void)
{
	static const uint32_t sizes[] = { 10, KEYS, 10, 0, KEYS / 2 };
	struct gm_binary_fuse_workspace space = { NULL, 0 };
	struct gm_binary_fuse fuse;

	make_keys();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		CHECK(gm_binary_fuse_build_in(&fuse, keys, sizes[i], &space) == GM_OK);
		gm_binary_fuse_find_many(&fuse, keys, sizes[i], answers);
		CHECK(positives(sizes[i]) == sizes[i]);
		gm_binary_fuse_free(&fuse);
	}
	gm_binary_fuse_workspace_free(&space);
}

static void fuse_refuses_too_many_keys(void)
{
	struct gm_binary_fuse fuse;

	CHECK(gm_binary_fuse_build(&fuse, keys, (UINT32_C(1) << 31) + 1) == GM_BAD_ARGUMENT);
}

/* Batches of each length, with answers before and after them that must not change. */
static void fuse_answers_alike_by_every_implementation(void)
{
	struct gm_binary_fuse fuse;

	make_keys();
	CHECK(gm_binary_fuse_build(&fuse, keys, KEYS) == GM_OK);
	for (enum gm_impl impl = GM_PORTABLE; impl < GM_IMPLS; impl++) {
		if (!gm_impl_runs(impl))
			continue;
		fuse.impl = impl;
		for (size_t count = 0; count <= 33; count++) {
			memset(answers, 9, 64);
			gm_binary_fuse_find_many(&fuse, others + 1, count, answers + 1);
			for (size_t i = 0; i < count; i++)
				CHECK(answers[1 + i] == gm_binary_fuse_find(&fuse, others[1 + i]));
			CHECK(answers[0] == 9 && answers[count + 1] == 9);
		}
	}
	gm_binary_fuse_free(&fuse);
}

/* One digest for all processors and implementations. */
static void fuse_has_one_digest(void)
{
	struct gm_binary_fuse fuse;

	make_keys();
	CHECK(gm_binary_fuse_build(&fuse, keys, KEYS) == GM_OK);
	for (enum gm_impl impl = GM_PORTABLE; impl < GM_IMPLS; impl++) {
		if (!gm_impl_runs(impl))
			continue;
		fuse.impl = impl;
		gm_binary_fuse_find_many(&fuse, others, QUERIES, answers);
		CHECK(gm_digest_bytes(GM_DIGEST_EMPTY, answers, QUERIES) == FUSE_DIGEST);
	}
	gm_binary_fuse_free(&fuse);
}

/* Plain filters of these sizes err at 0.6 %; the blocks, which fill unevenly, at 0.92 %. */
static void blocked_bloom_errs_as_published(void)
{
	struct gm_blocked_bloom bloom;

	make_keys();
	CHECK(gm_blocked_bloom_init(&bloom, gm_blocked_bloom_blocks(KEYS)) == GM_OK);
	gm_blocked_bloom_add_many(&bloom, keys, KEYS);
	gm_blocked_bloom_find_many(&bloom, keys, KEYS, answers);
	CHECK(positives(KEYS) == KEYS);
	gm_blocked_bloom_find_many(&bloom, others, QUERIES, answers);
	CHECK(rate_fits(positives(QUERIES), QUERIES, 0.0092));
	gm_blocked_bloom_free(&bloom);
}

static void blocked_bloom_is_alike_by_every_implementation(void)
{
	struct gm_blocked_bloom bloom;

	make_keys();
	CHECK(gm_blocked_bloom_init(&bloom, gm_blocked_bloom_blocks(KEYS)) == GM_OK);
	for (enum gm_impl impl = GM_PORTABLE; impl <= GM_AVX2; impl++) {
		if (!gm_impl_runs(impl))
			continue;
		bloom.impl = impl;
		gm_blocked_bloom_clear(&bloom);
		gm_blocked_bloom_add_many(&bloom, keys, KEYS);
		CHECK(gm_digest_u32s(GM_DIGEST_EMPTY, bloom.blocks[0],
				     gm_blocked_bloom_bytes(&bloom) / 4) == BLOCKED_DIGEST);
		gm_blocked_bloom_find_many(&bloom, others, QUERIES, answers);
		for (size_t i = 0; i < QUERIES; i++)
			CHECK(answers[i] == gm_blocked_bloom_find(&bloom, others[i]));
	}
	gm_blocked_bloom_free(&bloom);
}

static void blocked_filters_of_one_block_work(void)
{
	struct gm_blocked_bloom bloom;
	struct gm_blocked_counting_bloom counting;

	CHECK(gm_blocked_bloom_init(&bloom, 0) == GM_BAD_ARGUMENT);
	CHECK(gm_blocked_bloom_init(&bloom, 1) == GM_OK);
	CHECK(!gm_blocked_bloom_find(&bloom, 7));
	gm_blocked_bloom_add(&bloom, 7);
	CHECK(gm_blocked_bloom_find(&bloom, 7));
	gm_blocked_bloom_free(&bloom);
	CHECK(gm_blocked_counting_bloom_init(&counting, 0) == GM_BAD_ARGUMENT);
	CHECK(gm_blocked_counting_bloom_init(&counting, (UINT32_C(1) << 29) + 1) ==
	      GM_BAD_ARGUMENT);
	CHECK(gm_blocked_counting_bloom_init(&counting, 1) == GM_OK);
	CHECK(!gm_blocked_counting_bloom_find(&counting, 7));
	gm_blocked_counting_bloom_add(&counting, 7);
	CHECK(gm_blocked_counting_bloom_find(&counting, 7));
	gm_blocked_counting_bloom_remove(&counting, 7);
	CHECK(!gm_blocked_counting_bloom_find(&counting, 7));
	gm_blocked_counting_bloom_free(&counting);
}

static void blocked_counting_bloom_forgets_what_is_removed(void)
{
	struct gm_blocked_counting_bloom bloom;

	make_keys();
	CHECK(gm_blocked_counting_bloom_init(&bloom, gm_blocked_counting_bloom_blocks(KEYS)) ==
	      GM_OK);
	gm_blocked_counting_bloom_add_many(&bloom, keys, KEYS);
	gm_blocked_counting_bloom_find_many(&bloom, keys, KEYS, answers);
	CHECK(positives(KEYS) == KEYS);
	gm_blocked_counting_bloom_find_many(&bloom, others, QUERIES, answers);
	CHECK(positives(QUERIES) < QUERIES * 13 / 1000);
	gm_blocked_counting_bloom_remove_many(&bloom, keys, KEYS / 2);
	gm_blocked_counting_bloom_find_many(&bloom, keys + KEYS / 2, KEYS / 2, answers);
	CHECK(positives(KEYS / 2) == KEYS / 2);
	gm_blocked_counting_bloom_remove_many(&bloom, keys + KEYS / 2, KEYS / 2);
	gm_blocked_counting_bloom_find_many(&bloom, keys, KEYS, answers);
	CHECK(positives(KEYS) == 0);
	gm_blocked_counting_bloom_free(&bloom);
}

static void a_saturated_counter_stays(void)
{
	struct gm_blocked_counting_bloom bloom;

	CHECK(gm_blocked_counting_bloom_init(&bloom, 4) == GM_OK);
	for (int i = 0; i < 20; i++)
		gm_blocked_counting_bloom_add(&bloom, 3);
	for (int i = 0; i < 20; i++)
		gm_blocked_counting_bloom_remove(&bloom, 3);
	CHECK(gm_blocked_counting_bloom_find(&bloom, 3));
	gm_blocked_counting_bloom_free(&bloom);
}

static void cuckoo_at_94_percent_errs_as_published(void)
{
	struct gm_cuckoo cuckoo;

	make_keys();
	CHECK(gm_cuckoo_init(&cuckoo, gm_cuckoo_buckets(KEYS)) == GM_OK);
	CHECK(gm_cuckoo_add_many(&cuckoo, keys, KEYS) == KEYS);
	gm_cuckoo_find_many(&cuckoo, keys, KEYS, answers);
	CHECK(positives(KEYS) == KEYS);
	gm_cuckoo_find_many(&cuckoo, others, QUERIES, answers);
	CHECK(rate_fits(positives(QUERIES), QUERIES, 8 * 0.94 / 4095));
	gm_cuckoo_free(&cuckoo);
}

/* A filter of fewer places than keys: those that it took are there, also the spare. */
static void cuckoo_says_when_it_is_full(void)
{
	struct gm_cuckoo cuckoo;
	size_t added;

	make_keys();
	CHECK(gm_cuckoo_init(&cuckoo, KEYS / 4) == GM_OK);
	added = gm_cuckoo_add_many(&cuckoo, keys, QUERIES);
	CHECK(added > KEYS * 95 / 100 && added <= KEYS + 1);
	CHECK(cuckoo.spare_tag != 0);
	CHECK(gm_cuckoo_add(&cuckoo, keys[added]) == GM_FULL);
	for (size_t i = 0; i < added; i++)
		CHECK(gm_cuckoo_find(&cuckoo, keys[i]));
	gm_cuckoo_free(&cuckoo);
}

static void cuckoo_is_empty_when_all_is_removed(void)
{
	struct gm_cuckoo cuckoo;
	size_t added;

	make_keys();
	CHECK(gm_cuckoo_init(&cuckoo, KEYS / 4) == GM_OK);
	added = gm_cuckoo_add_many(&cuckoo, keys, QUERIES);
	CHECK(gm_cuckoo_remove_many(&cuckoo, keys, added / 2) == added / 2);
	CHECK(cuckoo.spare_tag == 0);
	for (size_t i = added / 2; i < added; i++)
		CHECK(gm_cuckoo_find(&cuckoo, keys[i]));
	CHECK(gm_cuckoo_remove_many(&cuckoo, keys + added / 2, added - added / 2) ==
	      added - added / 2);
	for (uint32_t i = 0; i < cuckoo.count; i++)
		CHECK(cuckoo.buckets[i].tags[0] == 0 && cuckoo.buckets[i].tags[1] == 0 &&
		      cuckoo.buckets[i].tags[2] == 0);
	CHECK(gm_cuckoo_remove(&cuckoo, keys[0]) == 0);
	gm_cuckoo_free(&cuckoo);
}

static void cuckoo_of_one_bucket_holds_five(void)
{
	struct gm_cuckoo cuckoo;

	CHECK(gm_cuckoo_init(&cuckoo, 0) == GM_BAD_ARGUMENT);
	CHECK(gm_cuckoo_init(&cuckoo, 1) == GM_OK);
	CHECK(!gm_cuckoo_find(&cuckoo, 0));
	for (uint64_t key = 0; key < 5; key++)
		CHECK(gm_cuckoo_add(&cuckoo, key) == GM_OK);
	CHECK(gm_cuckoo_add(&cuckoo, 5) == GM_FULL);
	for (uint64_t key = 0; key < 5; key++)
		CHECK(gm_cuckoo_find(&cuckoo, key));
	gm_cuckoo_free(&cuckoo);
}

static const struct test tests[] = {
	{ "binary fuse has all members at any size", fuse_has_all_members_at_any_size },
	{ "binary fuse has the specified sizes", fuse_has_the_specified_sizes },
	{ "binary fuse errs once in 256", fuse_errs_once_in_256 },
	{ "binary fuse takes keys that repeat", fuse_takes_keys_that_repeat },
	{ "binary fuse is built in a workspace", fuse_is_built_in_a_workspace },
	{ "binary fuse refuses too many keys", fuse_refuses_too_many_keys },
	{ "binary fuse answers alike by every implementation",
	  fuse_answers_alike_by_every_implementation },
	{ "binary fuse has one digest", fuse_has_one_digest },
	{ "blocked Bloom errs as published", blocked_bloom_errs_as_published },
	{ "blocked Bloom is alike by every implementation",
	  blocked_bloom_is_alike_by_every_implementation },
	{ "blocked filters of one block work", blocked_filters_of_one_block_work },
	{ "blocked counting Bloom forgets what is removed",
	  blocked_counting_bloom_forgets_what_is_removed },
	{ "a saturated counter stays", a_saturated_counter_stays },
	{ "cuckoo at 94 % load errs as published", cuckoo_at_94_percent_errs_as_published },
	{ "cuckoo says when it is full", cuckoo_says_when_it_is_full },
	{ "cuckoo is empty when all is removed", cuckoo_is_empty_when_all_is_removed },
	{ "cuckoo of one bucket holds five", cuckoo_of_one_bucket_holds_five },
};

TESTS_MAIN(tests)
