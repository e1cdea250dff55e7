/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tbf entries=BUCKETS: packets of 64 to 1 500 bytes reach buckets drawn at random, at about twice
 * the rate that these let through, so that about half of the packets conform.
 */
#include "command/gateway.h"
#include "gm/token_bucket.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>

enum { PACKETS = 1 << 15, RATE = 1 << 24, BURST = 1600, MEAN_BYTES = 782 };

struct arrival {
	uint64_t ns;
	uint32_t bucket, bytes;
};

struct tbf {
	struct gateway gateway;
	struct gm_token_bucket *buckets;
	struct arrival *arrivals;
	uint32_t entries;
};

static void prepare(void *state)
{
	struct tbf *tbf = state;

	for (uint32_t i = 0; i < tbf->entries; i++)
		gm_token_bucket_init(&tbf->buckets[i], RATE / tbf->entries, BURST, 0);
}

static void pass(void *state)
{
	struct tbf *tbf = state;

	for (uint32_t i = 0; i < tbf->gateway.count; i++) {
		const struct arrival *arrival = &tbf->arrivals[i];

		tbf->gateway.results[i] = (uint32_t)gm_token_bucket_take(
			&tbf->buckets[arrival->bucket], arrival->bytes, arrival->ns);
	}
}

/* All buckets together let RATE bytes a second through: twice as many come. */
static void draw(struct tbf *tbf)
{
	uint32_t gap = (uint32_t)(1000000000ULL * MEAN_BYTES / RATE);
	struct gm_random random = { 1 };
	uint64_t ns = 0;

	for (uint32_t i = 0; i < tbf->gateway.count; i++) {
		ns += gm_random_below(&random, gap + 1);
		tbf->arrivals[i].ns = ns;
		tbf->arrivals[i].bucket = gm_random_below(&random, tbf->entries);
		tbf->arrivals[i].bytes = 64 + gm_random_below(&random, 1437);
	}
}

int gateway_tbf(struct ask *ask, const char *name)
{
	struct tbf tbf = { .entries = (uint32_t)ask_number(ask, "entries", 1, 1, 1U << 20) };
	uint32_t packets;

	tbf.gateway.bytes = (uint64_t)tbf.entries * sizeof(*tbf.buckets);
	if (!gateway_fits(ask, name, tbf.gateway.bytes))
		return 0;
	/* Several a bucket: the first ones find it full. */
	packets = tbf.entries > PACKETS / 8 ? 8 * tbf.entries : PACKETS;
	gateway_build(&tbf.gateway, ask, packets);
	tbf.buckets = memory_new(tbf.entries, sizeof(*tbf.buckets));
	tbf.arrivals = memory_new(packets, sizeof(*tbf.arrivals));
	draw(&tbf);
	gateway_time(&tbf.gateway, prepare, pass, &tbf, packets);
	gateway_record(&tbf.gateway, name, "portable");
	record_number("entries", tbf.entries);
	free(tbf.buckets);
	free(tbf.arrivals);
	return gateway_end(&tbf.gateway, packets);
}
