// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a capture, all the way to frames that would be sent, and these back into the books
 * of the other side: each has to be accepted there as the packet that it is.
 */
#include "fuzz/fuzz.h"
#include "replay/arrive.h"
#include "replay/frames.h"
#include "replay/open.h"

#define ENTRIES_MAX 20000 /* of a made-up capture: what takes long finds nothing more */

static void send_all(const struct trace *trace, enum way way, int family)
{
	const struct lab lab = { .family = family };
	struct frames frames = { 0 };
	struct arrive arrive;
	struct fault fault;

	REQUIRE(frames_open(&frames, trace, &lab, way, &fault) == 0);
	REQUIRE(arrive_open(&arrive, trace, &lab, way, 1000000000, &fault) == 0);
	for (uint32_t i = 0; i < trace->entries[way]; i++) {
		uint32_t bytes = (uint32_t)(frames.at[i + 1] - frames.at[i]);
		const struct arrived frame = { .bytes = frames.bytes + frames.at[i],
					       .length = bytes,
					       .captured = bytes };

		arrive_add(&arrive, &frame);
		REQUIRE(arrive.unique == i + 1 && arrive.highest == i);
	}
	frames_close(&frames);
	arrive_close(&arrive);
}

static void replay(const uint8_t *data, size_t size, int family, const char *split)
{
	struct trace_options options = { .family = family,
					 .ways = { true, true },
					 .clones = 2,
					 .clients = 3,
					 .stagger_ns = 1000,
					 .packet_most = 1500,
					 .speed = 3,
					 .duration_ns = 1000000000 };
	struct capture capture = { 0 };
	struct trace trace = { 0 };
	struct fault fault = { 0 };
	int error = split_parse(&options.split, split, &fault);

	if (!error)
		error = capture_open(&capture, "fuzz", data, size, &fault);
	if (!error)
		error = trace_open(&trace, &options, &capture, &fault);
	REQUIRE(!error || (*fault.reason && *fault.fix));
	for (int way = 0; !error && way < WAYS; way++)
		if (trace.entries[way] < ENTRIES_MAX)
			send_all(&trace, (enum way)way, family);
	trace_close(&trace);
	capture_close(&capture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	replay(data, size, 4, "auto");
	replay(data, size, 6, "client");
	return 0;
}
