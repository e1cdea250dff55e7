// SPDX-License-Identifier: Apache-2.0
/* How large the rings of a capture are. */
#include "capture/rings.h"
#include "tests/test.h"

#define CPUS_MOST 128

static uint64_t memory_of(uint32_t size, unsigned int cpus)
{
	return CAPTURE_VALUE_BYTES((uint64_t)size) * cpus;
}

/* Unless memory is asked for, there are rings for any number of CPUs and any snaplen. */
TEST(rings_hold_two_packets_on_any_number_of_cpus)
{
	for (unsigned int cpus = 1; cpus <= CPUS_MOST; cpus++) {
		CHECK(rings_choose_size(0, CAPTURE_SNAPLEN_MOST, cpus) >=
		      2 * (CAPTURE_BLOCK_BYTES + CAPTURE_SNAPLEN_MOST));
		CHECK(rings_choose_size(0, CAPTURE_SNAPLEN_LEAST, cpus) >=
		      2 * (CAPTURE_BLOCK_BYTES + CAPTURE_SNAPLEN_LEAST));
	}
}

/* They take more than the preset at their least size alone. */
TEST(rings_take_no_more_than_they_need)
{
	uint32_t least = rings_choose_size(0, CAPTURE_SNAPLEN_MOST, CPUS_MOST);

	CHECK(least / 2 < 2 * (CAPTURE_BLOCK_BYTES + CAPTURE_SNAPLEN_MOST));
	for (unsigned int cpus = 1; cpus <= CPUS_MOST; cpus++) {
		uint32_t size = rings_choose_size(0, CAPTURE_SNAPLEN_MOST, cpus);

		CHECK(size == least || memory_of(size, cpus) <= RINGS_PRESET_BYTES);
		CHECK(memory_of(2 * size, cpus) > RINGS_PRESET_BYTES);
	}
}

/* What is asked for is kept to: rings that fit, or none. */
TEST(rings_keep_to_the_memory_that_is_asked_for)
{
	uint32_t least = rings_choose_size(0, CAPTURE_SNAPLEN_MOST, CPUS_MOST);

	for (unsigned int cpus = 1; cpus <= CPUS_MOST; cpus++) {
		uint64_t needed = memory_of(least, cpus);

		CHECK_EQUAL(rings_choose_size(needed, CAPTURE_SNAPLEN_MOST, cpus), least);
		CHECK_EQUAL(rings_choose_size(needed - 1, CAPTURE_SNAPLEN_MOST, cpus), 0);
	}
}
