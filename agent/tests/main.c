// SPDX-License-Identifier: Apache-2.0
/* Runs every test, or those whose name contains a word of the command line. Tells it as TAP. */
#include "tests/test.h"

struct test *test_first;
unsigned long test_checks, test_failures;
const char *test_skipped;

static int wanted(const struct test *test, int words, char **word)
{
	for (int i = 1; i < words; i++)
		if (strstr(test->name, word[i]))
			return 1;
	return words < 2;
}

int main(int argc, char **argv)
{
	unsigned int ran = 0;
	unsigned int failed = 0;

	for (struct test *test = test_first; test; test = test->next) {
		unsigned long before = test_failures;

		if (!wanted(test, argc, argv))
			continue;
		test_skipped = NULL;
		test->run();
		failed += test_failures > before;
		printf("%sok %u - %s%s%s\n", test_failures > before ? "not " : "", ++ran,
		       test->name, test_skipped ? " # SKIP " : "",
		       test_skipped ? test_skipped : "");
	}
	printf("1..%u\n# %lu checks, %lu failures\n", ran, test_checks, test_failures);
	return failed || !ran;
}
