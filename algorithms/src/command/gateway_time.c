/* SPDX-License-Identifier: Apache-2.0 */
#include "command/gateway.h"

#include "gm/digest.h"
#include "program/instances.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>

void gateway_build(struct gateway *gateway, struct ask *ask, uint32_t results)
{
	timing_ask(&gateway->timing, ask);
	ask_end(ask);
	gateway->began_ns = timing_now();
	gateway->count = results;
	gateway->results = memory_new(results, sizeof(*gateway->results));
}

int gateway_fits(struct ask *ask, const char *name, uint64_t bytes)
{
	const char *why = memory_refused(bytes);
	struct gateway nothing = { .results = NULL };

	if (!why)
		return 1;
	timing_ask(&nothing.timing, ask);
	ask_end(ask);
	gateway_skipped(&nothing, name, why);
	return 0;
}

void gateway_time(struct gateway *gateway, void (*prepare)(void *state), void (*pass)(void *state),
		  void *state, uint64_t operations)
{
	gateway->build_s = (double)(timing_now() - gateway->began_ns) / 1e9;
	instances_meet();
	if (prepare)
		timing_run_prepared(&gateway->timing, prepare, pass, state, operations);
	else
		timing_run(&gateway->timing, pass, state, operations);
}

void gateway_record(const struct gateway *gateway, const char *name, const char *impl)
{
	record_begin("gateway");
	record_number("instance", instances_number());
	record_text("primitive", name);
	record_text("impl", impl);
	record_digest("digest", gm_digest_u32s(GM_DIGEST_EMPTY, gateway->results, gateway->count));
	record_number("bytes", gateway->bytes);
	record_number("peak_bytes", gateway->bytes);
	record_real("build_s", gateway->build_s);
}

int gateway_end(struct gateway *gateway, uint64_t operations)
{
	timing_record(&gateway->timing, "", operations);
	record_end();
	free(gateway->results);
	return 0;
}

int gateway_skipped(struct gateway *gateway, const char *name, const char *why)
{
	record_begin("gateway");
	record_number("instance", instances_number());
	record_text("primitive", name);
	record_text("skipped", why);
	record_end();
	free(gateway->results);
	return 0;
}

void gateway_fill(uint8_t *bytes, uint64_t count, uint64_t seed)
{
	struct gm_random random = { seed };

	for (uint64_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)gm_random_u32(&random);
}
