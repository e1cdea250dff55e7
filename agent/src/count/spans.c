// SPDX-License-Identifier: Apache-2.0
/* Stretches of time as JSON. */
#include "count/spans.h"

void spans_report(const struct spans *spans, struct line *line)
{
	uint64_t kept = spans->count < SPANS_KEPT ? spans->count : SPANS_KEPT;

	line_list(line, "t_ns");
	for (uint64_t i = 0; i < kept; i++)
		line_count(line, NULL, spans->first[i].t_ns);
	line_close(line, ']');
	line_list(line, "ns");
	for (uint64_t i = 0; i < kept; i++)
		line_count(line, NULL, spans->first[i].ns);
	line_close(line, ']');
	line_count(line, "count", spans->count);
	line_count(line, "total_ns", spans->total_ns);
}
