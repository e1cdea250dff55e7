// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpus.h"
#include "tests/test.h"

#include <unistd.h>

TEST(cpus_are_counted_to_the_highest_number)
{
	CHECK_EQUAL(cpus_listed("0\n"), 1);
	CHECK_EQUAL(cpus_listed("0-3\n"), 4);
	CHECK_EQUAL(cpus_listed("0-127"), 128);
}

TEST(cpus_may_have_numbers_that_are_missing)
{
	CHECK_EQUAL(cpus_listed("0,2\n"), 3);
	CHECK_EQUAL(cpus_listed("0-3,8-11\n"), 12);
	CHECK_EQUAL(cpus_listed("1,4-5,9\n"), 10);
}

TEST(cpus_are_not_guessed)
{
	static const char *const lists[] = { "",      "\n",	"a",
					     "0-",    "-3",	"0-3,",
					     "3-0\n", "0 1",	"0-99999999999",
					     "0x3",   "0--3\n", "+1" };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		CHECK_EQUAL(cpus_listed(lists[i]), 0);
}

TEST(cpus_of_this_machine_are_those_that_it_has_or_more)
{
	struct fault fault = { 0 };
	unsigned int count = 0;

	if (access("/sys/devices/system/cpu/possible", R_OK)) {
		CHECK(cpus_possible(&count, &fault) < 0);
		CHECK(*fault.reason);
		return;
	}
	CHECK_EQUAL(cpus_possible(&count, &fault), 0);
	CHECK(count >= (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
}
