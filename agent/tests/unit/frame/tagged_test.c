// SPDX-License-Identifier: Apache-2.0
#include "frame/checksum.h"
#include "frame/tagged.h"
#include "tests/test.h"

#define KEY "000102030405060708090a0b0c0d0e0f"

/* The key of the paper's example: bytes 0 to 15. */
static struct siphash_key example(void)
{
	struct siphash_key key;
	struct fault fault;

	CHECK_EQUAL(tagged_key(KEY, &key, &fault), 0);
	return key;
}

/* Appendix A of the paper has 15 bytes, 0 to 14; the authors' vectors have the shorter ones. */
TEST(siphash_of_the_paper)
{
	const uint64_t eleven = 0xf4b32f46226bada7, eight = 0x93f5f5799a932462;
	struct siphash_key key = example();
	uint64_t first = 0x0706050403020100;

	CHECK_EQUAL(key.k0, 0x0706050403020100);
	CHECK_EQUAL(key.k1, 0x0f0e0d0c0b0a0908);
	CHECK_EQUAL(siphash_two(&key, first, 0x0f0e0d0c0b0a0908), 0xa129ca6149be45e5);
	CHECK_EQUAL(siphash_two(&key, first, 0x0b000000000a0908), eleven);
	CHECK_EQUAL(siphash_two(&key, first, 0x0800000000000000), eight);
}

TEST(tagged_bytes_of_the_protocol)
{
	static const uint8_t wanted[HEADER_BYTES] = { 0xff, 0xbf, 0x70, 0x81, 0x01, 0x88, 0x91,
						      0x19, 0xa2, 0x21, 0xa2, 0xa3, 0xa4, 0xa5 };
	const struct header header = {
		.run = 9, .flow = 0x10203, .sequence = 0x11223344, .time_ns = 0xeea1a2a3a4a5
	};
	struct siphash_key key = example();
	uint8_t bytes[HEADER_BYTES];
	struct header back;

	CHECK_EQUAL(checksum_fold(tagged_write(bytes, &header, &key)),
		    checksum_sum(wanted, sizeof(wanted)));
	CHECK(memcmp(bytes, wanted, sizeof(wanted)) == 0);
	CHECK(tagged_read(&back, bytes, &key));
	CHECK_EQUAL(back.run, 0);
	CHECK_EQUAL(back.flow, 0x10203);
	CHECK_EQUAL(back.sequence, 0x11223344);
	CHECK_EQUAL(back.time_ns, 0x21a2a3a4a5); /* modulo 2^39 */
}

TEST(tagged_holds_the_largest_of_everything)
{
	const struct header header = { .flow = (1 << TAG_FLOW_BITS) - 1,
				       .sequence = UINT32_MAX,
				       .time_ns = (1ull << TAG_TIME_BITS) - 1 };
	struct siphash_key key = example();
	uint8_t bytes[HEADER_BYTES];
	struct header back;

	tagged_write(bytes, &header, &key);
	CHECK(tagged_read(&back, bytes, &key));
	CHECK_EQUAL(back.flow, header.flow);
	CHECK_EQUAL(back.sequence, header.sequence);
	CHECK_EQUAL(back.time_ns, header.time_ns);
}

TEST(tagged_sees_every_flipped_bit)
{
	const struct header header = { .flow = 3, .sequence = 70000, .time_ns = 1ull << 33 };
	struct siphash_key key = example();
	uint8_t bytes[HEADER_BYTES];
	struct header back;

	tagged_write(bytes, &header, &key);
	for (unsigned int bit = 0; bit < 8 * HEADER_BYTES; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		CHECK(!tagged_read(&back, bytes, &key));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	CHECK(tagged_read(&back, bytes, &key));
}

/* A packet of the trial before, which had another key; one without any. */
TEST(tagged_refuses_another_key)
{
	const struct header header = { .run = 7, .flow = 1, .sequence = 2, .time_ns = 3 };
	struct siphash_key key = example(), other = key;
	uint8_t bytes[HEADER_BYTES];
	struct header back;

	other.k1 ^= 1ull << 63;
	tagged_write(bytes, &header, &other);
	CHECK(!tagged_read(&back, bytes, &key));
	header_write(bytes, &header);
	CHECK(!tagged_read(&back, bytes, &key));
}

TEST(tagged_key_is_32_digits)
{
	static const char *const wrong[] = { "",
					     "00",
					     KEY "0",
					     KEY "00",
					     "000102030405060708090A0B0C0D0E0F",
					     "0001020304050607 8090a0b0c0d0e0f" };
	struct siphash_key key;
	struct fault fault;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK(tagged_key(wrong[i], &key, &fault) < 0);
		CHECK_TEXT(fault.key, "key");
	}
}

TEST(tagged_delay_wraps)
{
	struct header header = { .time_ns = (1ull << TAG_TIME_BITS) - 10 };

	CHECK_EQUAL(header_delay(&header, (9ull << TAG_TIME_BITS) + 5, TAG_TIME_BITS), 15);
	header.time_ns = 100;
	CHECK_EQUAL(header_delay(&header, 40, TAG_TIME_BITS), -60);
}
