/* SPDX-License-Identifier: Apache-2.0 */
/* csum size=BYTES: the whole sum over headers and packets; csum-inc: the incremental one. */
#include "command/gateway.h"
#include "gm/checksum.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>

enum { BLOCKS = 256, UPDATES = 4096 };

struct checksum {
	struct gateway gateway;
	uint8_t *bytes;
	uint32_t size;
};

static void whole_pass(void *state)
{
	struct checksum *checksum = state;

	for (uint32_t i = 0; i < BLOCKS; i++)
		checksum->gateway.results[i] =
			gm_checksum(checksum->bytes + (size_t)i * checksum->size, checksum->size);
}

int gateway_checksum(struct ask *ask, const char *name)
{
	struct checksum checksum = { .size = (uint32_t)ask_number(ask, "size", 1500, 1, 65536) };

	gateway_build(&checksum.gateway, ask, BLOCKS);
	checksum.bytes = memory_new(BLOCKS, checksum.size);
	checksum.gateway.bytes = (uint64_t)BLOCKS * checksum.size;
	gateway_fill(checksum.bytes, checksum.gateway.bytes, 1);
	gateway_time(&checksum.gateway, NULL, whole_pass, &checksum, BLOCKS);
	gateway_record(&checksum.gateway, name, "portable");
	record_number("size", checksum.size);
	free(checksum.bytes);
	return gateway_end(&checksum.gateway, BLOCKS);
}

struct update {
	uint16_t checksum, old, now;
};

struct incremental {
	struct gateway gateway;
	struct update updates[UPDATES];
};

static void incremental_pass(void *state)
{
	struct incremental *incremental = state;

	for (uint32_t i = 0; i < UPDATES; i++) {
		const struct update *update = &incremental->updates[i];

		incremental->gateway.results[i] =
			gm_checksum_update(update->checksum, update->old, update->now);
	}
}

int gateway_incremental(struct ask *ask, const char *name)
{
	static struct incremental incremental;
	struct gm_random random = { 1 };

	gateway_build(&incremental.gateway, ask, UPDATES);
	for (uint32_t i = 0; i < UPDATES; i++) {
		incremental.updates[i].checksum = (uint16_t)gm_random_u32(&random);
		incremental.updates[i].old = (uint16_t)gm_random_u32(&random);
		incremental.updates[i].now = (uint16_t)gm_random_u32(&random);
	}
	incremental.gateway.bytes = sizeof(incremental.updates);
	gateway_time(&incremental.gateway, NULL, incremental_pass, &incremental, UPDATES);
	gateway_record(&incremental.gateway, name, "portable");
	return gateway_end(&incremental.gateway, UPDATES);
}
