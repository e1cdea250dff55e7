// SPDX-License-Identifier: Apache-2.0
/* The sink's report (PROTOCOL.md, sink), whichever way it counted. */
#include "count/report.h"
#include "time/clock.h"
#include "udp/sink.h"

#include <stddef.h>
#include <string.h>

#define ALONE_MS 500 /* where a signal alone ends it, which may come just before it sleeps */

void sink_tick(struct sink *sink, uint64_t received)
{
	struct line *line = &sink->talk->line;

	if (sink->tick_ns > clock_now())
		return;
	line_begin(line, "tick");
	line_count(line, "t_ns", clock_now());
	line_count(line, "received", received);
	line_end(line);
	sink->tick_ns += sink->tick_every_ns;
}

int sink_tick_wait(const struct sink *sink)
{
	uint64_t now = clock_now();

	if (sink->tick_ns == UINT64_MAX)
		return sink->talk->alone ? ALONE_MS : -1;
	return sink->tick_ns > now ? (int)((sink->tick_ns - now) / NS_PER_MS) + 1 : 0;
}

#define TOTAL(name) { #name, offsetof(struct tally, name) },

static const struct line_field totals[] = { SINK_COUNTERS(TOTAL, TOTAL) };

static void report_totals(struct line *line, const struct tally *tally, uint64_t cpu_ns)
{
	line_counts(line, tally, totals, sizeof(totals) / sizeof(totals[0]));
	line_count(line, "cpu_ns", cpu_ns);
}

/* One 64-bit field of every flow. */
static void report_column(struct line *line, const struct tally *tally, const char *name,
			  size_t offset)
{
	line_list(line, name);
	for (uint32_t i = 0; i < tally->options.flows; i++) {
		int64_t value;

		memcpy(&value, (const char *)&tally->flow[i] + offset, sizeof(value));
		line_integer(line, NULL, value);
	}
	line_close(line, ']');
}

#define COLUMN(name) report_column(line, tally, #name, offsetof(struct tally_flow, name));

static void report_flows(struct line *line, const struct tally *tally)
{
	line_object(line, "flow");
	FLOW_COUNTERS(COLUMN, COLUMN)
	line_close(line, '}');
}

static void report_times(struct line *line, const struct tally *tally)
{
	if (tally->options.delay) {
		histogram_report(&tally->delay, line, "delay_ns");
		line_count(line, "delay_negative", tally->delay_negative);
	}
	if (tally->flow_delay) {
		line_list(line, "delay_by_flow");
		for (uint32_t i = 0; i < tally->options.flows; i++)
			histogram_report(&tally->flow_delay[i], line, NULL);
		line_close(line, ']');
	}
	histogram_report(&tally->gap, line, "gap_ns");
}

/* One field of the bins up to `used`. */
static void report_bins(struct line *line, const struct tally *tally, uint32_t used,
			const char *name, size_t offset)
{
	line_column(line, name, tally->bin, sizeof(*tally->bin), used, offset);
}

static void report_rate(struct line *line, const struct tally *tally)
{
	uint32_t used = tally->options.bins;

	while (used && !tally->bin[used - 1].packets)
		used--;
	line_object(line, "rate");
	line_count(line, "t0_ns", tally->t0_ns);
	line_count(line, "bin_ms", tally->options.bin_ns / NS_PER_MS);
	report_bins(line, tally, used, "packets", offsetof(struct tally_bin, packets));
	if (tally->options.delay) {
		report_bins(line, tally, used, "delay_sum_ns",
			    offsetof(struct tally_bin, delay_sum_ns));
		report_bins(line, tally, used, "delay_max_ns",
			    offsetof(struct tally_bin, delay_max_ns));
	}
	line_close(line, '}');
}

void sink_report(struct line *line, const struct tally *tally, uint64_t cpu_ns)
{
	line_begin(line, "done");
	report_totals(line, tally, cpu_ns);
	report_flows(line, tally);
	report_times(line, tally);
	report_rate(line, tally);
	sink_report_losses(line, tally);
	line_end(line);
}
