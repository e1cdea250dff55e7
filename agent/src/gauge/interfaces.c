// SPDX-License-Identifier: Apache-2.0
/*
 * Counters of interfaces: /proc/net/dev, all of them in one read, and of this network namespace
 * whatever /sys is mounted (sysfs shows the namespace of its mount).
 */
#include "gauge/gauge.h"

#include <errno.h>

/* Fields of a line (dev_seq_printf_stats(), net/core/net-procfs.c) and the columns they go to. */
static const struct {
	unsigned int field, column;
} wanted[] = {
	{ 0, 1 }, { 1, 0 }, { 2, 3 }, { 3, 2 }, { 8, 5 }, { 9, 4 }, { 10, 7 }, { 11, 6 },
};

#define FIELDS 12

static int interfaces_open(struct gauge *gauge, const struct gauge_options *options,
			   struct fault *fault)
{
	if (gauge_file(gauge, options, "self/net/dev") < 0)
		return -ENOENT;
	for (size_t i = 0; i < options->devices->count; i++) {
		const char *name = options->devices->item[i];

		if (!gauge_add(gauge, name))
			return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
		gauge->series[i].gone = true;
	}
	return 0;
}

static void read_line(struct gauge *gauge, struct series *series, char *at, size_t row)
{
	uint64_t field[FIELDS];

	for (unsigned int i = 0; i < FIELDS; i++)
		field[i] = gauge_number(&at, 10);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		gauge_set(gauge, series, wanted[i].column, row, field[wanted[i].field]);
	series->gone = false;
}

static void interfaces_read(struct gauge *gauge, size_t row)
{
	char *line;

	for (size_t i = 0; i < gauge->count; i++)
		gauge->series[i].gone = true;
	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		char *name = gauge_skip_space(line);
		size_t length = gauge_word(name, ':');
		struct series *series = gauge_find(gauge, name, length);

		if (series && name[length] == ':')
			read_line(gauge, series, name + length + 1, row);
	}
}

const struct gauge_kind gauge_interfaces = {
	.name = "interfaces",
	.columns = { "rx_packets", "rx_bytes", "rx_dropped", "rx_errors", "tx_packets", "tx_bytes",
		     "tx_dropped", "tx_errors" },
	.open = interfaces_open,
	.read = interfaces_read,
};
