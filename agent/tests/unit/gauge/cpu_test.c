// SPDX-License-Identifier: Apache-2.0
#include "gauge/gauge.h"
#include "tests/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* cpu0's user nice system idle iowait irq softirq steal guest guest_nice, in ticks of 10 ms. */
static const char stat_text[] = "cpu  10 20 30 40 50 60 70 80 0 0\n"
				"cpu0 10 20 30 40 50 60 70 80 0 0\n"
				"intr 7\n";

/* Reads stat_text once, from a folder that stands for /proc; 0, or -1. */
static int read_once(struct gauge *gauge)
{
	char folder[] = "/tmp/gm-gauge-XXXXXX", file[sizeof(folder) + 8];
	struct gauge_options options = { .samples = 1 };
	struct fault fault;
	int opened = -1, stat;

	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof(file), "%s/stat", folder);
	stat = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	options.proc = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (write(stat, stat_text, sizeof(stat_text) - 1) > 0)
		opened = gauge_open(gauge, &gauge_cpu, &options, &fault);
	if (!opened)
		gauge_sample(gauge, 0);
	close(options.proc);
	close(stat);
	unlink(file);
	rmdir(folder);
	return opened;
}

static uint64_t value_of(const struct gauge *gauge, const char *column)
{
	unsigned int at = 0;

	while (strcmp(gauge->kind->columns[at], column) != 0)
		at++;
	return gauge->series[0].value[at * gauge->samples];
}

TEST(a_cpu_that_waits_for_input_or_output_is_idle)
{
	struct gauge gauge;
	int opened = read_once(&gauge);

	CHECK_EQUAL(sysconf(_SC_CLK_TCK), 100);
	CHECK_EQUAL(opened, 0);
	if (opened)
		return;
	CHECK_EQUAL(gauge.count, 1);
	CHECK_EQUAL(value_of(&gauge, "idle_ms"), 900);
	gauge_close(&gauge);
}

TEST(the_time_of_a_cpu_is_by_what_it_did)
{
	struct gauge gauge;
	int opened = read_once(&gauge);

	CHECK_EQUAL(opened, 0);
	if (opened)
		return;
	CHECK_EQUAL(value_of(&gauge, "user_ms"), 100);
	CHECK_EQUAL(value_of(&gauge, "nice_ms"), 200);
	CHECK_EQUAL(value_of(&gauge, "system_ms"), 300);
	CHECK_EQUAL(value_of(&gauge, "irq_ms"), 600);
	CHECK_EQUAL(value_of(&gauge, "softirq_ms"), 700);
	CHECK_EQUAL(value_of(&gauge, "steal_ms"), 800);
	gauge_close(&gauge);
}
