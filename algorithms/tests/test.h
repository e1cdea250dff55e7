/* SPDX-License-Identifier: Apache-2.0 */
/* A test program: TEST(name) functions, CHECK(condition), and TAP on stdout. */
#ifndef GM_TESTS_TEST_H
#define GM_TESTS_TEST_H

#include <stdio.h>

/* Stands before a test's name where it runs on another processor than this machine's. */
#ifndef TEST_WHERE
#define TEST_WHERE ""
#endif

static int test_failed;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
			test_failed = 1;                                                           \
		}                                                                                  \
	} while (0)

struct test {
	const char *name;
	void (*run)(void);
};

static inline int tests_run(const struct test *tests, int count)
{
	int worst = 0;

	printf("1..%d\n", count);
	for (int i = 0; i < count; i++) {
		test_failed = 0;
		tests[i].run();
		printf("%s %d - " TEST_WHERE "%s\n", test_failed ? "not ok" : "ok", i + 1,
		       tests[i].name);
		fflush(stdout);
		worst |= test_failed;
	}
	return worst;
}

#define TESTS_MAIN(tests)                                                                          \
	int main(void)                                                                             \
	{                                                                                          \
		return tests_run(tests, (int)(sizeof(tests) / sizeof((tests)[0])));                \
	}

#endif
