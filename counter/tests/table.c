// SPDX-License-Identifier: GPL-2.0-or-later
#include "table.h"
#include "agent/tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static struct table opened(char *folder, char *file, size_t room)
{
	struct table table = { 0 };

	CHECK(mkdtemp(folder) != NULL);
	(void)snprintf(file, room, "%s/counts", folder);
	CHECK(table_open(&table, file));
	return table;
}

static void removed(struct table *table, const char *folder, const char *file)
{
	table_close(table);
	(void)unlink(file);
	(void)rmdir(folder);
}

#define OPENED                                                                                     \
	char folder[] = "/tmp/gm-table-XXXXXX";                                                    \
	char file[64];                                                                             \
	struct table table = opened(folder, file, sizeof(file))

TEST(table_a_block_keeps_its_slot)
{
	OPENED;

	CHECK_EQUAL(table_slot(&table, 0x80001000, 4), 0);
	CHECK_EQUAL(table_slot(&table, 0x80002000, 4), 1);
	CHECK_EQUAL(table_slot(&table, 0x80001000, 4), 0);
	CHECK_EQUAL(table_slot(&table, 0x80001000, 3), 2); /* another length, another block */
	CHECK_EQUAL(table.head->used, 3);
	removed(&table, folder, file);
}

TEST(table_every_block_has_a_slot_of_its_own)
{
	OPENED;

	for (uint64_t at = 0; at < 50000; at++)
		CHECK_EQUAL(table_slot(&table, 0x80000000 + 4 * at, 1 + at % 7), at);
	for (uint64_t at = 0; at < 50000; at++)
		CHECK_EQUAL(table_slot(&table, 0x80000000 + 4 * at, 1 + at % 7), at);
	CHECK_EQUAL(table.address[49999], 0x80000000 + 4 * 49999);
	removed(&table, folder, file);
}

TEST(table_a_block_too_many_is_lost)
{
	OPENED;

	for (uint64_t at = 0; at < SLOTS; at++)
		(void)table_slot(&table, at, 1);
	CHECK_EQUAL(table.head->lost, 0);
	CHECK_EQUAL(table_slot(&table, SLOTS, 1), SLOTS);
	CHECK_EQUAL(table.head->lost, 1);
	CHECK_EQUAL(table_slot(&table, 7, 1), 7); /* those that are in stay in */
	removed(&table, folder, file);
}

TEST(table_blocks_pass_in_order_while_the_window_is_open)
{
	OPENED;

	table_pass(&table, 5);
	table.head->open = 1;
	table_pass(&table, 3);
	table_pass(&table, 3);
	table_pass(&table, 1);
	table.head->open = 0;
	table_pass(&table, 9);
	CHECK_EQUAL(table.head->passed, 3);
	CHECK_EQUAL(table.path[0], 3);
	CHECK_EQUAL(table.path[1], 3);
	CHECK_EQUAL(table.path[2], 1);
	removed(&table, folder, file);
}

TEST(table_a_window_that_is_full_goes_on_counting)
{
	OPENED;

	table.head->open = 1;
	for (uint64_t at = 0; at < PATHS + 2ULL; at++)
		table_pass(&table, 1);
	CHECK_EQUAL(table.head->passed, PATHS + 2ULL);
	removed(&table, folder, file);
}

TEST(table_the_file_is_what_its_reader_expects)
{
	uint64_t words[3] = { 0 };
	off_t end;
	int fd;
	OPENED;

	(void)table_slot(&table, 0x1234, 5);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	CHECK_EQUAL(read(fd, words, sizeof(words)), sizeof(words));
	end = lseek(fd, 0, SEEK_END);
	CHECK(!memcmp(words, "GMCOUNT1", 8));
	CHECK_EQUAL(words[1], SLOTS);
	CHECK_EQUAL(words[2], PATHS);
	CHECK_EQUAL(end, HEAD_BYTES + 8LL * (3LL * SLOTS + PATHS));
	CHECK_EQUAL(pread(fd, words, 8, HEAD_BYTES), 8);
	CHECK_EQUAL(words[0], 0x1234);
	CHECK_EQUAL(pread(fd, words, 8, HEAD_BYTES + 8LL * SLOTS), 8);
	CHECK_EQUAL(words[0], 5);
	close(fd);
	removed(&table, folder, file);
}

TEST(table_a_file_that_cannot_be_is_told)
{
	struct table table = { 0 };

	CHECK(!table_open(&table, "/nowhere/counts"));
}
