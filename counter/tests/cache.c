// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Caches against sequences that were worked out by hand. A data cache of 2 sets, 2 ways and lines of
 * 16 bytes: 0x00, 0x20, 0x40 fall into set 0, 0x10, 0x30, 0x50 into set 1.
 */
#include "cache.h"
#include "agent/tests/test.h"

#define SMALL "64/2/16:64/2/16"

static struct events *load(struct caches *caches, struct head *head, uint64_t address)
{
	caches_access(caches, head, address, false);
	return &head->events[0];
}

static struct events *store(struct caches *caches, struct head *head, uint64_t address)
{
	caches_access(caches, head, address, true);
	return &head->events[0];
}

TEST(cache_a_line_is_fetched_once)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	CHECK(caches_add(&caches, SMALL));
	CHECK_EQUAL(load(&caches, &head, 0x00)->load_misses, 1);
	CHECK_EQUAL(load(&caches, &head, 0x0c)->load_misses, 1);
	CHECK_EQUAL(load(&caches, &head, 0x10)->load_misses, 2);
	CHECK_EQUAL(head.loads, 3);
	caches_free(&caches);
}

TEST(cache_ways_hold_lines_of_one_set)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	load(&caches, &head, 0x00);
	load(&caches, &head, 0x20);
	CHECK_EQUAL(load(&caches, &head, 0x00)->load_misses, 2);
	CHECK_EQUAL(load(&caches, &head, 0x20)->load_misses, 2);
	caches_free(&caches);
}

TEST(cache_the_line_that_was_used_least_recently_goes)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	load(&caches, &head, 0x00);
	load(&caches, &head, 0x20);
	load(&caches, &head, 0x00); /* 0x20 is the older one now */
	CHECK_EQUAL(load(&caches, &head, 0x40)->load_misses, 3);
	CHECK_EQUAL(load(&caches, &head, 0x00)->load_misses, 3);
	CHECK_EQUAL(load(&caches, &head, 0x20)->load_misses, 4);
	caches_free(&caches);
}

TEST(cache_another_set_is_another_place)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	load(&caches, &head, 0x00);
	load(&caches, &head, 0x10);
	load(&caches, &head, 0x30);
	load(&caches, &head, 0x50); /* throws 0x10 out, and nothing of set 0 */
	CHECK_EQUAL(load(&caches, &head, 0x00)->load_misses, 4);
	CHECK_EQUAL(load(&caches, &head, 0x10)->load_misses, 5);
	caches_free(&caches);
}

TEST(cache_a_dirty_line_is_written_back_when_it_goes)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	CHECK_EQUAL(store(&caches, &head, 0x00)->store_misses, 1);
	load(&caches, &head, 0x04); /* a hit leaves it dirty */
	load(&caches, &head, 0x20);
	CHECK_EQUAL(load(&caches, &head, 0x40)->write_backs, 1);
	CHECK_EQUAL(load(&caches, &head, 0x60)->write_backs, 1); /* 0x20 was clean */
	CHECK_EQUAL(head.stores, 1);
	caches_free(&caches);
}

TEST(cache_a_store_makes_a_clean_line_dirty)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	load(&caches, &head, 0x00);
	CHECK_EQUAL(store(&caches, &head, 0x08)->store_misses, 0);
	load(&caches, &head, 0x20);
	CHECK_EQUAL(load(&caches, &head, 0x40)->write_backs, 1);
	caches_free(&caches);
}

TEST(cache_a_line_that_came_back_is_clean)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	store(&caches, &head, 0x00);
	load(&caches, &head, 0x20);
	load(&caches, &head, 0x40); /* 0x00 written back */
	load(&caches, &head, 0x00);
	load(&caches, &head, 0x20);
	CHECK_EQUAL(load(&caches, &head, 0x40)->write_backs, 1);
	caches_free(&caches);
}

TEST(cache_the_uncached_segment_goes_past)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	load(&caches, &head, 0x9ffffffc);
	store(&caches, &head, 0xa0000000);
	load(&caches, &head, 0xbffffffc);
	load(&caches, &head, 0xc0000000);
	CHECK_EQUAL(head.uncached, 2);
	CHECK_EQUAL(head.loads, 2);
	CHECK_EQUAL(head.stores, 0);
	CHECK_EQUAL(head.events[0].load_misses, 2);
	CHECK_EQUAL(head.events[0].store_misses, 0);
	caches_fetch(&caches, &head, 0xbfc00000, 64);
	CHECK_EQUAL(head.events[0].fetch_misses, 0);
	caches_free(&caches);
}

TEST(cache_a_block_fetches_every_line_that_it_touches)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	caches_fetch(&caches, &head, 0x08, 2); /* up to 0x0f: one line */
	CHECK_EQUAL(head.events[0].fetch_misses, 1);
	caches_fetch(&caches, &head, 0x0c, 2); /* 0x0c and 0x10: a line more */
	CHECK_EQUAL(head.events[0].fetch_misses, 2);
	caches_fetch(&caches, &head, 0x00, 12); /* 0x00 to 0x2f: one more */
	CHECK_EQUAL(head.events[0].fetch_misses, 3);
	CHECK_EQUAL(head.events[0].load_misses, 0);
	caches_free(&caches);
}

TEST(cache_pairs_see_the_same_side_by_side)
{
	struct caches caches = { 0 };
	struct head head = { 0 };

	caches_add(&caches, SMALL);
	caches_add(&caches, "64/2/16:128/2/32"); /* 0x00, 0x10 are one line, 0x20 another set */
	load(&caches, &head, 0x00);
	load(&caches, &head, 0x10);
	load(&caches, &head, 0x20);
	CHECK_EQUAL(head.events[0].load_misses, 3);
	CHECK_EQUAL(head.events[1].load_misses, 2);
	CHECK_EQUAL(head.loads, 3);
	caches_free(&caches);
}

TEST(cache_what_is_none_is_refused)
{
	static const char *const wrong[] = {
		"",
		"64/2/16",
		"64/2/16:64/2",
		"64/2/16:64/2/16x",
		"64/0/16:64/2/16",
		"64/32/16:64/2/16",
		"64/2/2:64/2/16",
		"64/2/24:64/2/16",
		"96/2/16:64/2/16",
		"0/2/16:64/2/16",
		"64/2/16:-64/2/16",
	};

	for (size_t at = 0; at < sizeof(wrong) / sizeof(*wrong); at++) {
		struct caches caches = { 0 };

		CHECK(!caches_add(&caches, wrong[at]));
		caches_free(&caches);
	}
}

TEST(cache_a_pair_too_many_is_refused)
{
	struct caches caches = { 0 };

	for (size_t at = 0; at < MOST_PAIRS; at++)
		CHECK(caches_add(&caches, SMALL));
	CHECK(!caches_add(&caches, SMALL));
	CHECK_EQUAL(caches.pairs, MOST_PAIRS);
	caches_free(&caches);
}
