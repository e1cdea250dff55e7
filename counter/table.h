/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counts, in a file that the plugin and its reader both map. All numbers are 64 bits wide in the
 * byte order of the machine that QEMU runs on. The reader is src/gatemark/station/counter.py.
 *
 *   struct head       1 page
 *   address[SLOTS]    of a block's first instruction, in the guest
 *   length[SLOTS]     instructions in the block
 *   runs[SLOTS]       how often it was run
 *   path[PATHS]       while a window is open: the slot of each block, in the order of running
 *
 * A slot is a block by its address and length, and stays with it: QEMU translates again what
 * its own cache of code lost, and the part of a block that another block jumps into is a block too. Slots are taken
 * in order, so a reader copies only the first `used` of them.
 */
#ifndef GATEMARK_TABLE_H
#define GATEMARK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_MAGIC 0x31544e554f434d47ULL /* "GMCOUNT1" */
#define HEAD_BYTES 4096
#define SLOTS (1U << 18) /* a kernel and a shell are about 40 000 blocks; a power of two */
#define PATHS (1U << 18) /* blocks of one window; a packet is about 2 000 */

#define MOST_CPUS 16 /* whose instructions are counted apart */
#define MOST_PAIRS 4 /* of caches that are modelled at once */

/* Of one pair of caches. */
struct events {
	uint64_t fetch_misses;
	uint64_t load_misses;
	uint64_t store_misses;
	uint64_t write_backs;
};

#define REGION_LEVELS 2

/* What programs did between marks (region.h). */
struct region {
	/* Marks that are open. The reader sets it to 0: a program may end between its marks. */
	uint64_t open;
	uint64_t begun; /* 1 from the first mark on: the caches work */
	uint64_t instructions;
	uint64_t accesses;
	uint64_t misses[REGION_LEVELS];
};

struct head {
	uint64_t magic;
	uint64_t slots;
	uint64_t paths;
	uint64_t used; /* slots taken so far */
	uint64_t lost; /* blocks without a slot: their instructions are in `total` alone */
	uint64_t total; /* instructions run */
	uint64_t open; /* by the reader: 1 while blocks are to be recorded in order */
	uint64_t passed; /* blocks in the window so far; more than `paths`: the rest was not kept */
	/*
	 * With caches (cache.h), and as long as the reader has `modelling` at 1: with it at 0 the
	 * guest runs faster, and the caches stay as they are.
	 */
	uint64_t modelling;
	uint64_t blocks; /* run: nearly all end with a branch */
	uint64_t multiplies;
	uint64_t divides;
	uint64_t loads;
	uint64_t stores;
	uint64_t uncached; /* loads and stores that go past the caches: in neither of the two */
	uint64_t pairs;
	struct events events[MOST_PAIRS];
	struct region region;
	uint64_t cpu[MOST_CPUS]; /* with cpus=on: instructions run by each virtual processor */
};

struct table {
	struct head *head;
	uint64_t *address;
	uint64_t *length;
	uint64_t *runs;
	uint64_t *path;
	uint32_t *place; /* hash of address and length -> slot + 1; the plugin's own */
};

/* Make the file and map it. Returns false, with the reason on stderr, if that fails. */
bool table_open(struct table *table, const char *file);

/* Let go of the file; it stays. */
void table_close(struct table *table);

/* The slot of a block, taken if it is new; SLOTS if there is none left. */
size_t table_slot(struct table *table, uint64_t address, uint64_t length);

/* Record a block in the order of running, if a window is open. */
static inline void table_pass(struct table *table, size_t slot)
{
	struct head *head = table->head;

	if (!__atomic_load_n(&head->open, __ATOMIC_ACQUIRE))
		return;
	if (head->passed < PATHS)
		table->path[head->passed] = slot;
	__atomic_store_n(&head->passed, head->passed + 1, __ATOMIC_RELEASE);
}

#endif
