/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs do between two marks: instructions, accesses to memory, and misses of one or two
 * levels of data caches. A mark is a store to a fixed address of user space, where a program that
 * wants to be counted has mapped a page (algorithms/src/program/timing.c). From the first mark on
 * the caches work, also while nothing is counted: what a program does before finds them filled.
 *
 * The caches are a model: set-associative by virtual addresses, least recently used line goes first,
 * stores allocate, the second level sees what the first one misses. Nothing is prefetched, nothing
 * is written back, an access across two lines is one of the first. The kernel's accesses are not
 * seen.
 */
#ifndef GATEMARK_REGION_H
#define GATEMARK_REGION_H

#include "cache.h"

#define MARK_OPEN 0x5a000000U
#define MARK_CLOSE 0x5a000800U

struct levels {
	struct cache cache[REGION_LEVELS];
	size_t count;
};

/* Set them up, empty, as "L1" or "L1:L2", each BYTES/WAYS/LINE. False, with the reason on stderr. */
bool levels_read(struct levels *levels, const char *text);

/* A block of a program's was begun. */
void region_run(struct head *head, uint64_t length);

/* A program's load or store: a mark, or one that goes through the caches. */
void region_access(struct levels *levels, struct head *head, uint64_t address, bool store);

/* Give the lines back. */
void levels_free(struct levels *levels);

#endif
