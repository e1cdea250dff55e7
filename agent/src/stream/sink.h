// SPDX-License-Identifier: Apache-2.0
/* Reads what the connections bring, until stdin ends. */
#ifndef GM_STREAM_SINK_H
#define GM_STREAM_SINK_H

#include "count/bins.h"
#include "stream/streams.h"

struct stream_sink {
	struct streams streams;
	struct bins rate;
	uint64_t first_ns, last_ns; /* 0: none */
};

/* Streams are started, the bins are open. */
int stream_sink_run(struct stream_sink *sink, struct fault *fault);

void stream_sink_report(const struct stream_sink *sink, struct line *line, uint64_t cpu_ns);

#endif
