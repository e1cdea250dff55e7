// SPDX-License-Identifier: Apache-2.0
/* Bins of the time of sending. */
#include "count/sending.h"
#include "count/tally.h"
#include "time/clock.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

int sending_open(struct sending *sending, uint64_t lasts_ns)
{
	*sending = (struct sending){ .bins = (uint32_t)(lasts_ns / SENDING_BIN_NS) + 2 };
	sending->bin = tally_take(sending->bins, sizeof(*sending->bin));
	return sending->bin ? 0 : -ENOMEM;
}

void sending_close(struct sending *sending)
{
	free(sending->bin);
	sending->bin = NULL;
}

void sending_begin(struct sending *sending, uint64_t t0_ns)
{
	sending->t0_ns = t0_ns;
	sending->at = 0;
	sending->at_end_ns = t0_ns + SENDING_BIN_NS;
}

/* To the bin of a time. */
static void move(struct sending *sending, uint64_t time_ns)
{
	uint64_t bin = time_ns < sending->t0_ns ? 0 : (time_ns - sending->t0_ns) / SENDING_BIN_NS;

	sending->at = bin < sending->bins ? (uint32_t)bin : sending->bins - 1;
	sending->at_end_ns = sending->t0_ns + (bin + 1) * SENDING_BIN_NS;
}

void sending_add(struct sending *sending, uint64_t time_ns, uint64_t tried, uint64_t refused)
{
	struct sending_bin *bin;

	if (time_ns >= sending->at_end_ns)
		move(sending, time_ns);
	bin = &sending->bin[sending->at];
	bin->tried += tried;
	bin->refused += refused;
	sending->all.tried += tried;
	sending->all.refused += refused;
}

static uint64_t newly(uint64_t all, uint64_t before)
{
	return all > before ? all - before : 0;
}

/* Of `count` the part that comes before so much of the time has passed. */
static uint64_t part(uint64_t count, uint64_t passed_ns, uint64_t lasts_ns)
{
	return count * (passed_ns / NS_PER_US) / (lasts_ns / NS_PER_US + 1);
}

void sending_spread(struct sending *sending, uint64_t from_ns, uint64_t until_ns,
		    const struct sending_bin *all)
{
	struct sending_bin left = { newly(all->tried, sending->all.tried),
				    newly(all->refused, sending->all.refused) };

	if (from_ns < sending->t0_ns)
		from_ns = sending->t0_ns;
	sending_add(sending, from_ns, 0, 0);
	while (sending->at_end_ns < until_ns && sending->at + 1 < sending->bins) {
		uint64_t lasts_ns = until_ns - from_ns, passed_ns = sending->at_end_ns - from_ns;
		struct sending_bin now = { part(left.tried, passed_ns, lasts_ns),
					   part(left.refused, passed_ns, lasts_ns) };

		sending_add(sending, from_ns, now.tried, now.refused);
		left.tried -= now.tried;
		left.refused -= now.refused;
		from_ns = sending->at_end_ns;
		move(sending, from_ns);
	}
	sending_add(sending, from_ns, left.tried, left.refused);
}

static void report_column(struct line *line, const struct sending *sending, uint32_t used,
			  const char *name, size_t offset)
{
	line_column(line, name, sending->bin, sizeof(*sending->bin), used, offset);
}

void sending_report(const struct sending *sending, struct line *line)
{
	uint32_t used = sending->bins;

	while (used && !sending->bin[used - 1].tried && !sending->bin[used - 1].refused)
		used--;
	line_object(line, "sending");
	line_count(line, "t0_ns", sending->t0_ns);
	line_count(line, "bin_ms", SENDING_BIN_NS / NS_PER_MS);
	report_column(line, sending, used, "tried", offsetof(struct sending_bin, tried));
	report_column(line, sending, used, "refused", offsetof(struct sending_bin, refused));
	line_close(line, '}');
}
