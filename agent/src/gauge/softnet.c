// SPDX-License-Identifier: Apache-2.0
/*
 * What the network stack's receiving side did, by CPU: /proc/net/softnet_stat, hexadecimal
 * (softnet_seq_show(), net/core/net-procfs.c). The CPU's number is the 13th field since 5.10;
 * before, offline CPUs are skipped without a word and lines are counted.
 */
#include "gauge/gauge.h"

#include <errno.h>
#include <stdio.h>

#define CPU_FIELD 12

struct softnet {
	uint64_t processed, dropped, squeezed, cpu;
};

static void parse(struct softnet *softnet, char *line, uint64_t line_number)
{
	char *end = line;

	softnet->processed = gauge_number(&end, 16);
	softnet->dropped = gauge_number(&end, 16);
	softnet->squeezed = gauge_number(&end, 16);
	for (int field = 3; field < CPU_FIELD; field++)
		gauge_number(&end, 16);
	softnet->cpu = *end == ' ' ? gauge_number(&end, 16) : line_number;
}

static int softnet_open(struct gauge *gauge, const struct gauge_options *options,
			struct fault *fault)
{
	uint64_t number = 0;
	char name[24];
	char *line;

	if (gauge_file(gauge, options, "self/net/softnet_stat") < 0)
		return -ENOENT;
	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		struct softnet softnet;

		parse(&softnet, line, number++);
		snprintf(name, sizeof(name), "%llu", (unsigned long long)softnet.cpu);
		if (!gauge_add(gauge, name))
			return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
	}
	return gauge->count ? 0 : -ENOENT;
}

static void softnet_read(struct gauge *gauge, size_t row)
{
	size_t number = 0;
	char *line;

	/* CPUs that go offline meanwhile end the series early: they keep their last values. */
	for (line = gauge_text(gauge->fd); line && number < gauge->count;
	     line = gauge_next_line(line), number++) {
		struct series *series = &gauge->series[number];
		struct softnet softnet;

		parse(&softnet, line, number);
		gauge_set(gauge, series, 0, row, softnet.processed);
		gauge_set(gauge, series, 1, row, softnet.dropped);
		gauge_set(gauge, series, 2, row, softnet.squeezed);
	}
}

const struct gauge_kind gauge_softnet = {
	.name = "softnet",
	.columns = { "processed", "dropped", "squeezed" },
	.open = softnet_open,
	.read = softnet_read,
};
