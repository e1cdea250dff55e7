// SPDX-License-Identifier: Apache-2.0
/*
 * The test harness, all of it: TEST(name) { CHECK(...); } registers itself; a failed CHECK is told
 * and counted, and the test goes on. No fork, no dependency, so that it runs wherever the agent
 * builds, under qemu-user too.
 */
#ifndef GM_TEST_H
#define GM_TEST_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct test {
	const char *name;
	void (*run)(void);
	struct test *next;
};

extern struct test *test_first;
extern unsigned long test_checks, test_failures;
extern const char *test_skipped; /* why the test could not be run, or not all of it */

#define TEST(name_)                                                                                \
	static void test_##name_(void);                                                            \
	__attribute__((constructor)) static void register_##name_(void)                            \
	{                                                                                          \
		static struct test test = { .name = #name_, .run = test_##name_ };                 \
		test.next = test_first;                                                            \
		test_first = &test;                                                                \
	}                                                                                          \
	static void test_##name_(void)

#define SKIP(reason) (test_skipped = (reason))

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		test_checks++;                                                                     \
		if (!(condition)) {                                                                \
			test_failures++;                                                           \
			printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #condition);           \
		}                                                                                  \
	} while (0)

#define CHECK_EQUAL(is, wanted)                                                                    \
	do {                                                                                       \
		int64_t is_ = (int64_t)(is);                                                       \
		int64_t wanted_ = (int64_t)(wanted);                                               \
		test_checks++;                                                                     \
		if (is_ != wanted_) {                                                              \
			test_failures++;                                                           \
			printf("# %s:%d: %s is %" PRId64 ", not %" PRId64 "\n", __FILE__,          \
			       __LINE__, #is, is_, wanted_);                                       \
		}                                                                                  \
	} while (0)

#define CHECK_TEXT(is, wanted)                                                                     \
	do {                                                                                       \
		const char *is_ = (is);                                                            \
		test_checks++;                                                                     \
		if (!is_ || strcmp(is_, wanted) != 0) {                                            \
			test_failures++;                                                           \
			printf("# %s:%d: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, #is,     \
			       is_ ? is_ : "(null)", wanted);                                      \
		}                                                                                  \
	} while (0)

/* xorshift64 (Marsaglia 2003): the same numbers on every machine. */
static inline uint64_t test_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

#endif
