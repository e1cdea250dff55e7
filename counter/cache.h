/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of an in-order core's first-level caches: set-associative, by virtual addresses, least
 * recently used line goes first, write-back with write-allocate. What lies in a segment that is
 * never cached (kseg1 of MIPS: 0xa0000000 to 0xbfffffff) goes past them.
 */
#ifndef GATEMARK_CACHE_H
#define GATEMARK_CACHE_H

#include "table.h"

#define MOST_WAYS 16

struct cache {
	uint64_t *line; /* [sets][ways], newest first: address / line_bytes, and whether it is dirty */
	uint64_t sets;
	uint64_t ways;
	uint64_t line_bytes;
};

struct caches {
	struct cache instruction;
	struct cache data;
	struct head *head;
	uint64_t insn_bytes;
};

/*
 * Read "I:D", each BYTES/WAYS/LINE, as 65536/4/32:32768/4/32. Returns false, and says why on
 * stderr, if one is no cache.
 */
bool caches_read(struct caches *caches, const char *text);

/* Where events are counted. */
void caches_count(struct caches *caches, struct head *head);

/* A block of instructions of 4 bytes was fetched. */
void caches_fetch(struct caches *caches, uint64_t address, uint64_t length);

/* A load or a store, of no more than a line. */
void caches_access(struct caches *caches, uint64_t address, bool store);

#endif
