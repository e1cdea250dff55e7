// SPDX-License-Identifier: Apache-2.0
/* What was tried and refused over the time of sending, in bins of 10 ms from the first due time. */
#ifndef GM_SENDING_H
#define GM_SENDING_H

#include "talk/line.h"

#include <stdint.h>

#define SENDING_BIN_NS 10000000ull

struct sending_bin {
	uint64_t tried, refused;
};

struct sending {
	struct sending_bin all; /* the sums of the bins */
	uint64_t t0_ns;
	uint32_t bins;
	uint32_t at; /* the latest bin */
	uint64_t at_end_ns; /* where it ends */
	struct sending_bin *bin;
};

/* Memory for so long a time, taken and touched; what comes later goes into the last bin. */
int sending_open(struct sending *sending, uint64_t lasts_ns);
void sending_close(struct sending *sending);
void sending_begin(struct sending *sending, uint64_t t0_ns);

/* Packets that went at a time; times do not go back. */
void sending_add(struct sending *sending, uint64_t time_ns, uint64_t tried, uint64_t refused);

/*
 * Brings the sums up to what is known at until_ns: what is new is spread evenly over the time since
 * from_ns. The sums never fall.
 */
void sending_spread(struct sending *sending, uint64_t from_ns, uint64_t until_ns,
		    const struct sending_bin *all);

/* "sending":{"t0_ns":N,"bin_ms":10,"tried":[...],"refused":[...]}, without trailing zeros. */
void sending_report(const struct sending *sending, struct line *line);

#endif
