// SPDX-License-Identifier: Apache-2.0
#include "frame/bytes.h"
#include "frame/checksum.h"
#include "tests/test.h"

/* As RFC 1071 section 4.1 has it: a word and a carry at a time. */
static uint16_t slow_sum(const uint8_t *bytes, size_t length)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < length; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)sum;
}

TEST(checksum_example_of_rfc1071)
{
	static const uint8_t bytes[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };

	CHECK_EQUAL(checksum_sum(bytes, sizeof(bytes)), 0xddf2);
}

TEST(checksum_against_slow_reference)
{
	uint64_t state = 1;
	uint8_t bytes[2048];

	for (int round = 0; round < 3000; round++) {
		size_t length = test_random(&state) % 1600;
		size_t offset = test_random(&state) % 8;

		for (size_t i = 0; i < length; i++)
			bytes[offset + i] = round % 3 ? (uint8_t)test_random(&state) : 0xff;
		CHECK_EQUAL(checksum_sum(bytes + offset, length), slow_sum(bytes + offset, length));
	}
}

TEST(checksum_folds_every_carry)
{
	CHECK_EQUAL(checksum_fold(0), 0);
	CHECK_EQUAL(checksum_fold(0xffff), 0xffff);
	CHECK_EQUAL(checksum_fold(0x10000), 1);
	CHECK_EQUAL(checksum_fold(0x1ffff), 1);
	CHECK_EQUAL(checksum_fold(UINT64_MAX), 0xffff);
	CHECK_EQUAL(checksum_fold(0xffffffff00000001), 1);
	CHECK_EQUAL(checksum_fold(0xffffffff0001ffff), 1); /* carries again after three folds */
}
