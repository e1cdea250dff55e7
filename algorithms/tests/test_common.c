/* SPDX-License-Identifier: Apache-2.0 */
#include "common/bits.h"
#include "gm/digest.h"
#include "gm/random.h"
#include "tests/test.h"

#include <stdint.h>

static void random_is_the_published_one(void)
{
	struct gm_random random = { 0 };

	CHECK(gm_random_u64(&random) == UINT64_C(0xe220a8397b1dcdaf));
	CHECK(gm_random_u64(&random) == UINT64_C(0x6e789e6aa1b965f4));
	CHECK(gm_random_u64(&random) == UINT64_C(0x06c45d188009454f));
}

static void digest_is_the_published_one(void)
{
	CHECK(gm_digest_bytes(GM_DIGEST_EMPTY, NULL, 0) == UINT64_C(0xcbf29ce484222325));
	CHECK(gm_digest_bytes(GM_DIGEST_EMPTY, (const uint8_t *)"foobar", 6) ==
	      UINT64_C(0x85944171f73967e8));
}

static uint32_t counted(uint64_t x, uint32_t below)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < below; i++)
		count += (uint32_t)(x >> i) & 1;
	return count;
}

static void ranks_are_counts(void)
{
	struct gm_random random = { 9 };

	for (int i = 0; i < 1000; i++) {
		uint64_t x = gm_random_u64(&random);
		uint32_t bit = gm_random_below(&random, 64);

		CHECK(gm_rank64(x, bit) == counted(x, bit));
		CHECK(gm_count64(x) == counted(x, 64));
		CHECK(gm_rank32((uint32_t)x, bit / 2) == counted(x, bit / 2));
	}
}

static void the_highest_bit_is_found(void)
{
	for (uint32_t i = 0; i < 32; i++) {
		CHECK(gm_highest32(UINT32_C(1) << i) == i);
		CHECK(gm_highest32((UINT32_C(1) << i) | 1) == i);
	}
}

static const struct test tests[] = {
	{ "random numbers are the published ones", random_is_the_published_one },
	{ "a digest is the published one", digest_is_the_published_one },
	{ "ranks are counts", ranks_are_counts },
	{ "the highest bit is found", the_highest_bit_is_found },
};

TESTS_MAIN(tests)
