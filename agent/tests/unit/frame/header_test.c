// SPDX-License-Identifier: Apache-2.0
#include "frame/checksum.h"
#include "frame/header.h"
#include "tests/test.h"

TEST(header_bytes_of_the_protocol)
{
	static const uint8_t wanted[HEADER_BYTES] = { 0xc7, 0x5a, 0x01, 0x02, 0x03, 0x11, 0x22,
						      0x33, 0x44, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5 };
	const struct header header = {
		.run = 0x5a, .flow = 0x010203, .sequence = 0x11223344, .time_ns = 0xeea1a2a3a4a5
	};
	uint8_t bytes[HEADER_BYTES];
	struct header back;

	CHECK_EQUAL(checksum_fold(header_write(bytes, &header)),
		    checksum_sum(wanted, sizeof(wanted)));
	CHECK(memcmp(bytes, wanted, sizeof(wanted)) == 0);
	CHECK(header_read(&back, bytes, sizeof(bytes)));
	CHECK_EQUAL(back.run, 0x5a);
	CHECK_EQUAL(back.flow, 0x010203);
	CHECK_EQUAL(back.sequence, 0x11223344);
	CHECK_EQUAL(back.time_ns, 0xa1a2a3a4a5); /* modulo 2^40 */
	CHECK(!header_read(&back, bytes, HEADER_BYTES - 1));
	bytes[0] ^= 1;
	CHECK(!header_read(&back, bytes, sizeof(bytes)));
}

TEST(header_delay_wraps)
{
	struct header header = { .time_ns = 100 };

	CHECK_EQUAL(header_delay(&header, 350, HEADER_TIME_BITS), 250);
	CHECK_EQUAL(header_delay(&header, 40, HEADER_TIME_BITS), -60);
	CHECK_EQUAL(header_delay(&header, (5ull << 40) + 350, HEADER_TIME_BITS), 250);
	header.time_ns = (1ull << 40) - 10;
	CHECK_EQUAL(header_delay(&header, (7ull << 40) + 5, HEADER_TIME_BITS), 15);
}
