// SPDX-License-Identifier: Apache-2.0
/* Stretches of time in which nothing happened: the first of them, and how many in all. */
#ifndef GM_SPANS_H
#define GM_SPANS_H

#include "talk/line.h"

#include <stdint.h>

#define SPANS_KEPT 256

struct span {
	uint64_t t_ns; /* when it began */
	uint64_t ns; /* how long it was */
};

struct spans {
	uint64_t count, total_ns;
	struct span first[SPANS_KEPT];
};

static inline void spans_add(struct spans *spans, uint64_t t_ns, uint64_t ns)
{
	if (spans->count < SPANS_KEPT)
		spans->first[spans->count] = (struct span){ t_ns, ns };
	spans->count++;
	spans->total_ns += ns;
}

/* "t_ns":[...],"ns":[...],"count":N,"total_ns":N: members of an object that is open. */
void spans_report(const struct spans *spans, struct line *line);

#endif
