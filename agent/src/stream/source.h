// SPDX-License-Identifier: Apache-2.0
/* Writes as fast as the connections take it. */
#ifndef GM_SOURCE_H
#define GM_SOURCE_H

#include "stream/info.h"
#include "stream/streams.h"

struct source {
	struct streams streams;
	struct info info;
	uint64_t sample_ns; /* interval */
	uint64_t due_ns; /* of the next sample */
	unsigned int writes; /* between two looks at the clock */
	struct info_state last[STREAMS_MAX]; /* at the end */
	uint64_t acked[STREAMS_MAX]; /* at the end */
};

/* Writes until the duration is over or stdin ends. Streams are started, info is open. */
int source_run(struct source *source, struct fault *fault);

void source_report(const struct source *source, struct line *line, uint64_t cpu_ns);

#endif
