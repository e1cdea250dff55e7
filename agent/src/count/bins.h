// SPDX-License-Identifier: Apache-2.0
/* Amounts over time: equal bins from t0 on; what comes after the last bin goes into it. */
#ifndef GM_BINS_H
#define GM_BINS_H

#include "talk/line.h"

#include <stddef.h>
#include <stdint.h>

struct bins {
	uint64_t t0_ns, width_ns;
	size_t count;
	uint64_t *amount;
};

/* Takes and touches the memory, so that a measured loop has no page faults. 0 or -ENOMEM. */
int bins_open(struct bins *bins, size_t count, uint64_t width_ns);
void bins_close(struct bins *bins);

/* What came before t0 goes into bin 0. */
void bins_add(struct bins *bins, uint64_t time_ns, uint64_t amount);

/* {"t0_ns":...,"bin_ms":...,"NAME":[...]}, trailing zeros cut. */
void bins_report(const struct bins *bins, struct line *line, const char *key, const char *name);

#endif
