// SPDX-License-Identifier: Apache-2.0
/*
 * CPU time of threads, from the scheduler's own books in nanoseconds: /proc/PID/schedstat
 * (Documentation/scheduler/sched-stats.rst). Ticks would show 1 % at 26 % (docs/measured.md).
 */
#include "gauge/gauge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

static int open_thread(struct gauge *gauge, int proc, int32_t pid, struct fault *fault)
{
	char path[48], name[16];
	struct series *series;

	snprintf(name, sizeof(name), "%d", pid);
	series = gauge_add(gauge, name);
	if (!series)
		return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
	snprintf(path, sizeof(path), "%d/schedstat", pid);
	series->fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	series->gone = series->fd < 0;
	return 0;
}

static int threads_open(struct gauge *gauge, const struct gauge_options *options,
			struct fault *fault)
{
	for (size_t i = 0; i < options->threads->count; i++) {
		int error = open_thread(gauge, options->proc, options->threads->item[i], fault);

		if (error)
			return error;
	}
	return 0;
}

static void threads_read(struct gauge *gauge, size_t row)
{
	for (size_t i = 0; i < gauge->count; i++) {
		struct series *series = &gauge->series[i];
		char *text = series->gone ? NULL : gauge_text(series->fd);

		series->gone = !text;
		if (!text)
			continue;
		for (unsigned int column = 0; column < 3; column++)
			gauge_set(gauge, series, column, row, gauge_number(&text, 10));
	}
}

const struct gauge_kind gauge_threads = {
	.name = "threads",
	.columns = { "run_ns", "wait_ns", "slices" },
	.open = threads_open,
	.read = threads_read,
};
