// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES (2 * (size_t)SLOTS) /* never more than half full, so that a search ends soon */
#define FILE_BYTES (HEAD_BYTES + (3 * (size_t)SLOTS + PATHS) * sizeof(uint64_t))

static void *mapped(const char *file, size_t bytes)
{
	int fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	void *map = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (!ftruncate(fd, (off_t)bytes))
		map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return map == MAP_FAILED ? NULL : map;
}

bool table_open(struct table *table, const char *file)
{
	char *map = mapped(file, FILE_BYTES);

	table->place = map ? calloc(PLACES, sizeof(*table->place)) : NULL;
	if (!table->place) {
		(void)fprintf(stderr, "counter: %s: %s\n", file, strerror(errno));
		return false;
	}
	table->head = (struct head *)(void *)map;
	table->address = (uint64_t *)(void *)(map + HEAD_BYTES);
	table->length = table->address + SLOTS;
	table->runs = table->length + SLOTS;
	table->path = table->runs + SLOTS;
	table->head->slots = SLOTS;
	table->head->paths = PATHS;
	__atomic_store_n(&table->head->magic, TABLE_MAGIC, __ATOMIC_RELEASE);
	return true;
}

void table_close(struct table *table)
{
	(void)munmap(table->head, FILE_BYTES);
	free(table->place);
	*table = (struct table){ 0 };
}

/* Fibonacci hashing: block addresses differ in their low bits, the product's high bits do too. */
static size_t hash(uint64_t address, uint64_t length)
{
	return (size_t)(((address ^ (length << 48)) * 0x9e3779b97f4a7c15ULL) >> 32) % PLACES;
}

size_t table_slot(struct table *table, uint64_t address, uint64_t length)
{
	struct head *head = table->head;
	size_t at = hash(address, length);
	size_t slot;

	for (; table->place[at]; at = (at + 1) % PLACES) {
		slot = table->place[at] - 1;
		if (table->address[slot] == address && table->length[slot] == length)
			return slot;
	}
	if (head->used == SLOTS) {
		head->lost++;
		return SLOTS;
	}
	slot = (size_t)head->used;
	table->address[slot] = address;
	table->length[slot] = length;
	table->place[at] = (uint32_t)slot + 1;
	__atomic_store_n(&head->used, slot + 1, __ATOMIC_RELEASE);
	return slot;
}
