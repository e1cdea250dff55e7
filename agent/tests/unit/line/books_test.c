// SPDX-License-Identifier: Apache-2.0
#include "line/books.h"
#include "line/store.h"
#include "tests/test.h"

#include <stdlib.h>

static struct slot gone(enum fate fate, uint64_t at_ns)
{
	return (struct slot){ .fate = fate, .leaves_ns = at_ns, .bytes = 100, .busy_ns = 10 };
}

TEST(books_know_every_frame)
{
	struct books *books = calloc(1, sizeof(*books));
	const struct schedule idle = { 0 };
	const struct slot sent = gone(FATE_LEAVES, 1);
	const struct slot lost = gone(FATE_LOST, 2);
	const struct slot dropped = gone(FATE_DROPPED, 3);

	books_begin(books, 1);
	for (int i = 0; i < 4; i++)
		books_accept(books, &idle);
	books_leave(books, &sent, true, 7); /* that from before: in no book */
	books_leave(books, &sent, true, 50000);
	books_leave(books, &sent, false, 0);
	books_leave(books, &lost, false, 0);
	books_leave(books, &dropped, false, 0);
	books_drop(books, 1, 60);
	books_refuse(books, 2);
	CHECK_EQUAL(books->in, 7);
	CHECK_EQUAL(books->sent, 1);
	CHECK_EQUAL(books->dropped, 2);
	CHECK_EQUAL(books->lost, 1);
	CHECK_EQUAL(books->refused, 3);
	CHECK_EQUAL(books->bytes, 100);
	CHECK_EQUAL(books->near, 1);
	CHECK_EQUAL(books->late.total, 1);
	CHECK_EQUAL(books->drop[0].at_ns, 1); /* in order of time */
	CHECK_EQUAL(books->drop[1].at_ns, 3);
	free(books);
}

TEST(books_keep_some_drops_and_count_all)
{
	struct books *books = calloc(1, sizeof(*books));

	books_begin(books, 0);
	for (uint64_t i = 0; i < BOOKS_DROPS + 5; i++)
		books_drop(books, i, 60);
	CHECK_EQUAL(books->drops, BOOKS_DROPS);
	CHECK_EQUAL(books->dropped, BOOKS_DROPS + 5);
	free(books);
}

TEST(store_gives_whole_pieces_in_turn)
{
	uint8_t memory[256];
	struct store store = { .memory = memory, .size = sizeof(memory) };
	uint64_t first = store_put(&store, 100);
	uint64_t second = store_put(&store, 60);
	uint64_t third;

	CHECK_EQUAL(first, 0);
	CHECK_EQUAL(second, 128);
	CHECK_EQUAL(store_put(&store, 65), (int64_t)STORE_NONE); /* 64 are left */
	store_release(&store, first, 100);
	third = store_put(&store, 65); /* past the end: it begins anew */
	CHECK_EQUAL(third, 256);
	CHECK(store_at(&store, third) == memory);
	CHECK_EQUAL(store_put(&store, 1), (int64_t)STORE_NONE);
	store_take_back(&store, third);
	CHECK_EQUAL(store_put(&store, 1), 256);
}
