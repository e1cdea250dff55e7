// SPDX-License-Identifier: Apache-2.0
#include "count/histogram.h"
#include "count/report.h"
#include "tests/test.h"

#include <stdlib.h>

TEST(histogram_bucket_and_low_are_inverse)
{
	for (unsigned int bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		uint64_t low = histogram_low(bucket);

		CHECK_EQUAL(histogram_bucket(low), bucket);
		if (bucket)
			CHECK_EQUAL(histogram_bucket(low - 1), bucket - 1);
	}
	CHECK_EQUAL(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

TEST(histogram_buckets_are_narrow)
{
	uint64_t state = 3;

	for (int i = 0; i < 20000; i++) {
		uint64_t value = test_random(&state) >> (28 + test_random(&state) % 36);
		uint64_t low = histogram_low(histogram_bucket(value));

		CHECK(low <= value);
		CHECK((double)(value - low) <= 0.0313 * (double)value);
	}
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

TEST(histogram_quantiles_against_sorted_values)
{
	static const double shares[] = { 0, 0.25, 0.5, 0.99, 0.999, 1 };
	static struct histogram histogram;
	static uint64_t values[5000];
	uint64_t state = 5;

	CHECK_EQUAL(histogram_quantile(&histogram, 0.5), 0);
	for (int i = 0; i < 5000; i++) {
		values[i] = test_random(&state) >> (30 + test_random(&state) % 30);
		histogram_add(&histogram, values[i]);
	}
	qsort(values, 5000, sizeof(values[0]), compare);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		size_t rank = (size_t)(shares[i] * 5000);
		uint64_t exact = values[rank < 5000 ? rank : 4999];

		CHECK_EQUAL(histogram_quantile(&histogram, shares[i]),
			    histogram_low(histogram_bucket(exact)));
	}
	CHECK_EQUAL(histogram.most, values[4999]);
	CHECK_EQUAL(histogram.total, 5000);
}

TEST(histogram_quantiles_are_at_their_rank)
{
	static struct histogram histogram;

	histogram_add(&histogram, 10);
	histogram_add(&histogram, 20);
	CHECK_EQUAL(histogram_quantile(&histogram, 0), 10);
	CHECK_EQUAL(histogram_quantile(&histogram, 0.5), 20);
	CHECK_EQUAL(histogram_quantile(&histogram, 1), 20);
}

TEST(histogram_as_json)
{
	static struct histogram histogram;
	struct line line = { .fd = -1 };

	for (int i = 0; i < 3; i++)
		histogram_add(&histogram, 10);
	histogram_add(&histogram, 20);
	histogram_report(&histogram, &line, "gap");
	histogram_report_quantiles(&histogram, &line, "delay");
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"gap\":{\"low\":[10,20],\"count\":[3,1]},"
				"\"delay\":{\"p50\":10,\"p99\":20,\"p999\":20,\"max\":20}");
}

TEST(histogram_tells_its_shares)
{
	static struct histogram histogram;
	struct line line = { .fd = -1 };

	for (int i = 0; i < 900; i++)
		histogram_add(&histogram, 10);
	for (int i = 0; i < 95; i++)
		histogram_add(&histogram, 20);
	for (int i = 0; i < 4; i++)
		histogram_add(&histogram, 30);
	histogram_add(&histogram, 40);
	histogram_report_shares(&histogram, &line);
	line.buffer[line.used] = '\0';
	CHECK_TEXT(line.buffer, "\"p50\":10,\"p99\":20,\"p999\":40,\"max\":40");
}
