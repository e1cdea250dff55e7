/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of the first-level caches of an in-order MIPS core: set-associative, by virtual addresses,
 * least recently used line goes first, write-back with write-allocate. What lies in the segment that
 * is never cached (kseg1: 0xa0000000 to 0xbfffffff) goes past them. Several pairs of caches can see
 * the same fetches and accesses side by side.
 */
#ifndef GATEMARK_CACHE_H
#define GATEMARK_CACHE_H

#include "table.h"

#define MOST_WAYS 16
#define INSN_BYTES 4

struct cache {
	uint64_t *
		line; /* [sets][ways], newest first: address / line_bytes, and whether it is dirty */
	uint64_t sets;
	uint64_t ways;
	unsigned int shift; /* line_bytes = 1 << shift */
};

struct pair {
	struct cache instruction;
	struct cache data;
};

struct caches {
	struct pair pair[MOST_PAIRS];
	size_t pairs;
};

/* Set one up, empty, as BYTES/WAYS/LINE; `end` is what follows. False if it is no cache. */
bool cache_read(struct cache *cache, const char *text, const char **end);

/*
 * Look a line up and make it the newest. Kept as (line + 1) << 1 | dirty, so that nothing is 0.
 * Returns whether it was there; a dirty line that had to go is counted.
 */
bool cache_touch(struct cache *cache, uint64_t line, bool store, uint64_t *write_backs);

/*
 * Add a pair, empty, as "I:D", each BYTES/WAYS/LINE: 65536/4/32:32768/4/32. Returns false, with
 * the reason on stderr, if either is no cache or there are MOST_PAIRS already.
 */
bool caches_add(struct caches *caches, const char *text);

/* A block of so many instructions was fetched: misses of each pair, none of an uncached segment. */
void caches_fetch(struct caches *caches, struct head *head, uint64_t address, uint64_t length);

/* A load or a store, of no more than a line. */
void caches_access(struct caches *caches, struct head *head, uint64_t address, bool store);

/* Give the lines back. */
void caches_free(struct caches *caches);

#endif
