// SPDX-License-Identifier: Apache-2.0
/*
 * CPU time by CPU and kind: /proc/stat (proc_stat(5)), in ticks. Whoever runs between two ticks is
 * not seen, so this is for orientation; threads has the truth where there are threads.
 */
#include "gauge/gauge.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * The column that each field of a line counts in: user nice system idle iowait irq softirq steal.
 * A CPU that waits for I/O is idle.
 */
static const unsigned int column_of[] = { 0, 6, 1, 4, 4, 3, 2, 5 };

#define FIELDS (sizeof(column_of) / sizeof(column_of[0]))
#define COLUMNS 7

/* The number of a line "cpuN ...", as text; NULL for the total and all other lines. */
static char *cpu_of(char *line)
{
	return strncmp(line, "cpu", 3) == 0 && isdigit((unsigned char)line[3]) ? line + 3 : NULL;
}

static int cpu_open(struct gauge *gauge, const struct gauge_options *options, struct fault *fault)
{
	char name[16];
	char *line;

	if (gauge_file(gauge, options, "stat") < 0)
		return -ENOENT;
	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		char *number = cpu_of(line);

		if (!number)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)gauge_word(number, ' '), number);
		if (!gauge_add(gauge, name))
			return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
	}
	return gauge->count ? 0 : -ENOENT;
}

WRAPS static void read_line(struct gauge *gauge, struct series *series, char *at, size_t row,
			    uint64_t ms_per_tick)
{
	uint64_t ticks[COLUMNS] = { 0 };

	for (unsigned int field = 0; field < FIELDS; field++)
		ticks[column_of[field]] += gauge_number(&at, 10);
	for (unsigned int column = 0; column < COLUMNS; column++)
		gauge_set(gauge, series, column, row, ticks[column] * ms_per_tick);
}

static void cpu_read(struct gauge *gauge, size_t row)
{
	uint64_t ms_per_tick = 1000 / (uint64_t)sysconf(_SC_CLK_TCK);
	char *line;

	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		char *number = cpu_of(line);
		size_t digits = number ? gauge_word(number, ' ') : 0;
		struct series *series = number ? gauge_find(gauge, number, digits) : NULL;

		if (series)
			read_line(gauge, series, number + digits, row, ms_per_tick);
	}
}

const struct gauge_kind gauge_cpu = {
	.name = "cpu",
	.columns = { "user_ms", "system_ms", "softirq_ms", "irq_ms", "idle_ms", "steal_ms",
		     "nice_ms" },
	.open = cpu_open,
	.read = cpu_read,
};
