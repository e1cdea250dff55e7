/* SPDX-License-Identifier: Apache-2.0 */
/* lookup3, Bloom and counting Bloom: published vectors, and bounds from the theory. */
#include "gm/bloom.h"
#include "gm/counting_bloom.h"
#include "gm/digest.h"
#include "gm/error.h"
#include "gm/lookup3.h"
#include "tests/filter_keys.h"
#include "tests/test.h"

#include <string.h>

enum { QUERIES = 192000 };

static uint32_t keys[QUERIES];
static uint32_t asked[QUERIES];
static uint8_t answers[QUERIES];

static uint32_t hashed(const char *text, uint32_t seed)
{
	return gm_lookup3((const uint8_t *)text, strlen(text), seed);
}

static void lookup3_is_the_published_one(void)
{
	static const char text[] = "Four score and seven years ago";
	static const uint32_t words[] = { 1, 2, 3, 4 };
	static const uint32_t seeded[] = { 0x72a82a9b, 0x76efdf8d, 0xf1524a01, 0xf8d91c98 };

	CHECK(hashed("", 0) == 0xdeadbeef);
	CHECK(hashed("", 0xdeadbeef) == 0xbd5b7dde);
	CHECK(hashed(text, 0) == 0x17770551);
	CHECK(hashed(text, 1) == 0xcd628161);
	CHECK(hashed("a", 0) == 0x58d68708);
	CHECK(hashed("abcd", 0) == 0xb5f4889c);
	CHECK(hashed("abcdefgh", 0) == 0x2995c3be);
	CHECK(hashed("abcdefghijkl", 0) == 0x4012f87b);
	CHECK(hashed("abcdefghijklm", 0) == 0x928128f9);
	CHECK(gm_lookup3_words(words, 3, 0) == 0xa46158f5);
	CHECK(gm_lookup3_words(words, 4, 0) == 0x66491246);
	for (uint32_t seed = 0; seed < 4; seed++)
		CHECK(gm_lookup3_u32(1, seed) == seeded[seed]);
}

static void check_pair(const char *text, uint32_t first, uint32_t second, const uint32_t results[2])
{
	gm_lookup3_pair((const uint8_t *)text, strlen(text), &first, &second);
	CHECK(first == results[0]);
	CHECK(second == results[1]);
}

static void two_hashes_are_the_published_ones(void)
{
	static const char text[] = "Four score and seven years ago";
	static const uint32_t results[4][2] = {
		{ 0x17770551, 0xce7226e6 },
		{ 0xe3607cae, 0xbd371de4 },
		{ 0xcd628161, 0x6cbea4b3 },
		{ 0x9c093ccd, 0xbd5b7dde },
	};
	uint32_t second;
	uint32_t pair[2] = { 0, 0 };

	check_pair(text, 0, 0, results[0]);
	check_pair(text, 0, 1, results[1]);
	check_pair(text, 1, 0, results[2]);
	check_pair("", 0xdeadbeef, 0xdeadbeef, results[3]);
	gm_lookup3_pair((const uint8_t *)"\1\0\0", 4, &pair[0], &pair[1]);
	CHECK(gm_lookup3_u32_pair(1, &second) == pair[0]);
	CHECK(second == pair[1]);
}

static void words_hash_as_their_bytes_at_any_address(void)
{
	uint8_t bytes[64 + 3];
	uint32_t words[16];

	for (uint32_t i = 0; i < 16; i++)
		words[i] = fmix32(i);
	for (size_t shift = 0; shift < 4; shift++) {
		for (size_t i = 0; i < 64; i++)
			bytes[shift + i] = (uint8_t)(words[i / 4] >> (8 * (i % 4)));
		for (size_t count = 0; count <= 16; count++)
			CHECK(gm_lookup3_words(words, count, 5) ==
			      gm_lookup3(bytes + shift, 4 * count, 5));
	}
}

/* Zero bytes at the end count: the length is part of the hash. */
static void lengths_have_hashes_of_their_own(void)
{
	static const uint8_t zeros[65];
	uint32_t hashes[65];

	for (size_t length = 0; length <= 64; length++) {
		hashes[length] = gm_lookup3(zeros, length, 0);
		for (size_t i = 0; i < length; i++)
			CHECK(hashes[i] != hashes[length]);
	}
}

static void members_and_random_queries(uint32_t n)
{
	struct gm_random random = { 7 };

	for (uint32_t i = 0; i < n; i++)
		keys[i] = fmix32(i);
	for (uint32_t i = 0; i < QUERIES; i++)
		asked[i] = gm_random_u32(&random);
}

static uint32_t positives(uint32_t count)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < count; i++)
		sum += answers[i];
	return sum;
}

static uint32_t ones(const uint8_t *bytes, size_t count)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < 8 * count; i++)
		sum += (uint32_t)bytes[i / 8] >> (i % 8) & 1;
	return sum;
}

static void check_members(const struct gm_bloom *bloom, uint32_t n)
{
	gm_bloom_find_many(bloom, keys, n, answers);
	CHECK(positives(n) == n);
}

struct vector {
	uint32_t n, bits, hashes, set, positive;
	uint64_t array, results;
	int random; /* whether the queries are random, or certainly no members */
};

static void check_vector(const struct vector *vector)
{
	struct gm_bloom bloom;

	members_and_random_queries(vector->n);
	for (uint32_t i = 0; i < QUERIES && !vector->random; i++)
		asked[i] = fmix32((UINT32_C(1) << 31) + i);
	CHECK(gm_bloom_init(&bloom, vector->bits, vector->hashes) == GM_OK);
	gm_bloom_add_many(&bloom, keys, vector->n);
	check_members(&bloom, vector->n);
	gm_bloom_find_many(&bloom, asked, QUERIES, answers);
	CHECK(ones(bloom.bits, vector->bits / 8) == vector->set);
	CHECK(positives(QUERIES) == vector->positive);
	CHECK(gm_digest_bytes(GM_DIGEST_EMPTY, bloom.bits, vector->bits / 8) == vector->array);
	CHECK(gm_digest_bytes(GM_DIGEST_EMPTY, answers, QUERIES) == vector->results);
	gm_bloom_free(&bloom);
}

static void bloom_has_the_specified_bits(void)
{
	static const struct vector vectors[] = {
		{ 192000, 65536, 8, 65536, 192000, UINT64_C(0x9c50825ef0adc325),
		  UINT64_C(0xd66ceec33c176925), 1 },
		{ 64000, 65536, 8, 65511, 191389, UINT64_C(0x20cd8b3f3c0646c4),
		  UINT64_C(0x0af7ca647138ce04), 1 },
		{ 65536, 524288, 6, 277151, 4203, UINT64_C(0xf0ac0c482466804b),
		  UINT64_C(0x15c018e69e402530), 0 },
		{ 65536, 1048576, 11, 521822, 82, UINT64_C(0xf6900c27a1860584),
		  UINT64_C(0xd3ea35a7a56c1ad7), 0 },
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check_vector(&vectors[i]);
}

static void bytes_and_numbers_are_the_same_keys(void)
{
	struct gm_bloom numbers;
	struct gm_bloom bytes;

	CHECK(gm_bloom_init(&numbers, 4096, 8) == GM_OK);
	CHECK(gm_bloom_init(&bytes, 4096, 8) == GM_OK);
	for (uint32_t i = 0; i < 100; i++) {
		uint32_t key = fmix32(i);
		uint8_t low_first[4] = { (uint8_t)key, (uint8_t)(key >> 8), (uint8_t)(key >> 16),
					 (uint8_t)(key >> 24) };

		gm_bloom_add_u32(&numbers, key);
		gm_bloom_add(&bytes, low_first, 4);
		CHECK(gm_bloom_find(&numbers, low_first, 4));
		CHECK(gm_bloom_find_u32(&bytes, key));
	}
	CHECK(memcmp(numbers.bits, bytes.bits, gm_bloom_bytes(&bytes)) == 0);
	gm_bloom_free(&numbers);
	gm_bloom_free(&bytes);
}

/* The bits of 65 536 keys: mean 276 632, standard deviation 207; two hashes fill alike. */
static void two_hashes_fill_and_err_as_the_theory_says(void)
{
	struct gm_bloom bloom;
	uint32_t set;

	members_and_random_queries(65536);
	for (uint32_t i = 0; i < QUERIES; i++)
		asked[i] = fmix32((UINT32_C(1) << 31) + i);
	CHECK(gm_bloom_init(&bloom, 524288, 6) == GM_OK);
	gm_bloom_add_many_2h(&bloom, keys, 65536);
	gm_bloom_find_many_2h(&bloom, keys, 65536, answers);
	CHECK(positives(65536) == 65536);
	set = ones(bloom.bits, gm_bloom_bytes(&bloom));
	CHECK(set > 276632 - 5 * 207 && set < 276632 + 5 * 207);
	gm_bloom_find_many_2h(&bloom, asked, QUERIES, answers);
	CHECK(rate_fits(positives(QUERIES), QUERIES, power((double)set / 524288, 6)));
	gm_bloom_free(&bloom);
}

static void an_empty_filter_has_no_member(void)
{
	struct gm_bloom bloom;

	CHECK(gm_bloom_init(&bloom, 64, 3) == GM_OK);
	CHECK(!gm_bloom_find_u32(&bloom, 0));
	gm_bloom_add_u32(&bloom, 0);
	CHECK(gm_bloom_find_u32(&bloom, 0));
	gm_bloom_clear(&bloom);
	CHECK(!gm_bloom_find_u32(&bloom, 0));
	gm_bloom_free(&bloom);
}

static void sizes_are_powers_of_two(void)
{
	static const uint32_t refused[] = { 0, 1, 4, 7, 9, 12, 65535, 1000000 };
	struct gm_bloom bloom;
	struct gm_counting_bloom counting;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		CHECK(gm_bloom_init(&bloom, refused[i], 8) == GM_BAD_ARGUMENT);
	CHECK(gm_bloom_init(&bloom, 64, 0) == GM_BAD_ARGUMENT);
	CHECK(gm_bloom_init(&bloom, 64, 33) == GM_BAD_ARGUMENT);
	CHECK(gm_counting_bloom_init(&counting, 1000000, 8) == GM_BAD_ARGUMENT);
	CHECK(gm_counting_bloom_init(&counting, 1, 8) == GM_BAD_ARGUMENT);
	CHECK(gm_counting_bloom_init(&counting, 64, 0) == GM_BAD_ARGUMENT);
}

static uint32_t counter(const struct gm_counting_bloom *bloom, uint32_t i)
{
	return (uint32_t)bloom->counters[i / 2] >> (4 * (i % 2)) & 15;
}

static uint32_t counters_at(const struct gm_counting_bloom *bloom, uint32_t least)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i <= bloom->mask; i++)
		sum += counter(bloom, i) >= least;
	return sum;
}

struct counting_vector {
	uint32_t n, counters, set, saturated, left, positive, positive_again;
	uint64_t array; /* after the removal */
};

static void check_counting(const struct counting_vector *vector)
{
	struct gm_counting_bloom bloom;

	members_and_random_queries(vector->n);
	CHECK(gm_counting_bloom_init(&bloom, vector->counters, 8) == GM_OK);
	gm_counting_bloom_add_many(&bloom, keys, vector->n);
	CHECK(counters_at(&bloom, 1) == vector->set);
	CHECK(counters_at(&bloom, 15) == vector->saturated);
	gm_counting_bloom_find_many(&bloom, asked, QUERIES, answers);
	CHECK(positives(QUERIES) == vector->positive);
	gm_counting_bloom_remove_many(&bloom, keys, vector->n / 2);
	CHECK(counters_at(&bloom, 1) == vector->left);
	gm_counting_bloom_find_many(&bloom, keys, vector->n / 2, answers);
	CHECK(positives(vector->n / 2) == vector->positive_again);
	gm_counting_bloom_find_many(&bloom, keys + vector->n / 2, vector->n / 2, answers);
	CHECK(positives(vector->n / 2) == vector->n / 2);
	CHECK(gm_digest_bytes(GM_DIGEST_EMPTY, bloom.counters, vector->counters / 2) ==
	      vector->array);
	gm_counting_bloom_free(&bloom);
}

static void counting_bloom_has_the_specified_counters(void)
{
	static const struct counting_vector vectors[] = {
		{ 192000, 65536, 65536, 63830, 65536, 192000, 96000, UINT64_C(0xa41babb695d47bd7) },
		{ 64000, 65536, 65511, 955, 64261, 191389, 27345, UINT64_C(0x165cf4ac5ee5524d) },
		{ 64000, 1048576, 405383, 0, 227127, 89, 0, UINT64_C(0xc0b11ec17f253929) },
	};

	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
		check_counting(&vectors[i]);
}

/* Fifteen additions and one removal: the counters of the key no longer change. */
static void a_saturated_counter_stays(void)
{
	struct gm_counting_bloom bloom;
	static const uint8_t key[] = { 1, 2, 3 };

	CHECK(gm_counting_bloom_init(&bloom, 1024, 4) == GM_OK);
	for (int i = 0; i < 14; i++)
		gm_counting_bloom_add(&bloom, key, sizeof(key));
	for (int i = 0; i < 14; i++)
		gm_counting_bloom_remove(&bloom, key, sizeof(key));
	CHECK(!gm_counting_bloom_find(&bloom, key, sizeof(key)));
	for (int i = 0; i < 20; i++)
		gm_counting_bloom_add(&bloom, key, sizeof(key));
	CHECK(counters_at(&bloom, 15) == 4);
	for (int i = 0; i < 20; i++)
		gm_counting_bloom_remove(&bloom, key, sizeof(key));
	CHECK(gm_counting_bloom_find(&bloom, key, sizeof(key)));
	gm_counting_bloom_free(&bloom);
}

static const struct test tests[] = {
	{ "lookup3 is the published one", lookup3_is_the_published_one },
	{ "two hashes are the published ones", two_hashes_are_the_published_ones },
	{ "words hash as their bytes at any address", words_hash_as_their_bytes_at_any_address },
	{ "lengths have hashes of their own", lengths_have_hashes_of_their_own },
	{ "Bloom has the specified bits", bloom_has_the_specified_bits },
	{ "bytes and numbers are the same keys", bytes_and_numbers_are_the_same_keys },
	{ "two hashes fill and err as the theory says",
	  two_hashes_fill_and_err_as_the_theory_says },
	{ "an empty filter has no member", an_empty_filter_has_no_member },
	{ "sizes are powers of two", sizes_are_powers_of_two },
	{ "counting Bloom has the specified counters", counting_bloom_has_the_specified_counters },
	{ "a saturated counter stays", a_saturated_counter_stays },
};

TESTS_MAIN(tests)
