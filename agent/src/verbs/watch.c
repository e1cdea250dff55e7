// SPDX-License-Identifier: Apache-2.0
/* watch: reads counters at a steady interval and hands all of them over at the end. */
#include "gauge/gauge.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static const struct gauge_kind *const kinds[] = { &gauge_threads, &gauge_cpu,
						  &gauge_softnet, &gauge_interfaces,
						  &gauge_memory,  &gauge_conntrack,
						  &gauge_slab,	  &gauge_pagesets };
static const char *const kind_names[] = { "threads",   "cpu",  "softnet",  "interfaces", "memory",
					  "conntrack", "slab", "pagesets", NULL };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct watch_request {
	struct job job;
	int64_t interval_ms;
	int64_t samples;
	int64_t share_ppm;
	int64_t longest_ms;
	unsigned int what;
	struct integers threads;
	struct texts devices;
	struct texts slabs;
};

static const struct key watch_keys[] = {
	KEY(watch_request, interval_ms, INTEGER, .preset = 100, .min = 10, .max = 60000,
	    .help = "between two samples"),
	KEY(watch_request, samples, INTEGER, .required = true, .min = 2, .max = 100000,
	    .help = "taken at most"),
	KEY(watch_request, share_ppm, INTEGER, .min = 0, .max = 1000000,
	    .help = "of a CPU that it may use: sampled less often where it would use more; 0: any"),
	KEY(watch_request, longest_ms, INTEGER, .preset = 60000, .min = 50, .max = 60000,
	    .help = "between two samples, whatever they use"),
	KEY(watch_request, what, CHOICES, .required = true, .choices = kind_names,
	    .help = "list of threads, cpu, softnet, interfaces, memory, conntrack, slab, pagesets"),
	KEY(watch_request, threads, INTEGERS, .min = 1, .max = INT32_MAX, .help = "list of pids"),
	KEY(watch_request, devices, TEXTS, .help = "list of interfaces"),
	KEY(watch_request, slabs, TEXTS, .help = "list of the kernel's caches"),
	{ 0 },
};

struct watch {
	const struct watch_request *request;
	struct talk *talk;
	int proc; /* descriptor of /proc */
	struct gauge gauge[KINDS];
	bool absent[KINDS];
	uint64_t *time_ns;
	size_t rows;
	uint64_t tick_ns;
};

static bool wanted(const struct watch *watch, size_t kind)
{
	return watch->request->what & 1u << kind;
}

static bool present(const struct watch *watch, size_t kind)
{
	return wanted(watch, kind) && !watch->absent[kind];
}

static int open_gauges(struct watch *watch, struct fault *fault)
{
	const struct gauge_options options = {
		.proc = watch->proc,
		.threads = &watch->request->threads,
		.devices = &watch->request->devices,
		.slabs = &watch->request->slabs,
		.samples = (size_t)watch->request->samples,
	};

	watch->time_ns = calloc(options.samples, sizeof(*watch->time_ns));
	if (!watch->time_ns)
		return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
	for (size_t i = 0; i < KINDS; i++) {
		int error = wanted(watch, i)
				    ? gauge_open(&watch->gauge[i], kinds[i], &options, fault)
				    : 0;

		watch->absent[i] = error == -ENOENT;
		if (error && !watch->absent[i])
			return error;
	}
	return 0;
}

static void sample(struct watch *watch)
{
	watch->time_ns[watch->rows] = clock_now();
	for (size_t i = 0; i < KINDS; i++)
		if (present(watch, i))
			gauge_sample(&watch->gauge[i], watch->rows);
	watch->rows++;
}

static void tick(struct watch *watch, uint64_t now)
{
	struct line *line = &watch->talk->line;

	if (now < watch->tick_ns)
		return;
	line_begin(line, "tick");
	line_count(line, "t_ns", now);
	line_count(line, "samples", watch->rows);
	line_end(line);
	watch->tick_ns += (uint64_t)watch->request->job.tick_ms * NS_PER_MS;
}

/* Until the next sample, so that all so far keep to their share of a CPU if there are enough. */
static uint64_t interval_ns(const struct watch *watch, uint64_t since_ns)
{
	uint64_t asked_ns = (uint64_t)watch->request->interval_ms * NS_PER_MS;
	uint64_t longest_ns = (uint64_t)watch->request->longest_ms * NS_PER_MS;
	uint64_t share = (uint64_t)watch->request->share_ppm;
	uint64_t used_ns = clock_cpu() - since_ns;
	uint64_t least_ns = share && watch->rows ? used_ns / watch->rows * 1000000 / share : 0;

	if (least_ns > longest_ns)
		least_ns = longest_ns;
	return least_ns > asked_ns ? least_ns : asked_ns;
}

/* One sample's room is kept for the end. */
static void sample_all(struct watch *watch)
{
	uint64_t since_ns = clock_cpu();
	uint64_t tick_ns = (uint64_t)watch->request->job.tick_ms * NS_PER_MS;
	uint64_t due_ns = clock_now();

	watch->tick_ns = tick_ns ? due_ns + tick_ns : UINT64_MAX;
	while (!talk_over(watch->talk)) {
		if (clock_now() >= due_ns) {
			if (watch->rows + 1 < (size_t)watch->request->samples)
				sample(watch);
			due_ns += interval_ns(watch, since_ns);
			tick(watch, clock_now());
		}
		talk_sleep_until(watch->talk, due_ns);
	}
	sample(watch);
}

static void report_gone(struct line *line, const struct watch *watch)
{
	line_list(line, "gone");
	for (size_t i = 0; i < KINDS; i++)
		for (size_t s = 0; present(watch, i) && s < watch->gauge[i].count; s++)
			if (watch->gauge[i].series[s].gone)
				line_text(line, NULL, watch->gauge[i].series[s].name);
	line_close(line, ']');
	line_list(line, "absent");
	for (size_t i = 0; i < KINDS; i++)
		if (watch->absent[i])
			line_text(line, NULL, kind_names[i]);
	line_close(line, ']');
}

static void report_done(const struct watch *watch, uint64_t cpu_ns)
{
	struct line *line = &watch->talk->line;

	line_begin(line, "done");
	line_list(line, "t_ns");
	for (size_t row = 0; row < watch->rows; row++)
		line_count(line, NULL, watch->time_ns[row]);
	line_close(line, ']');
	for (size_t i = 0; i < KINDS; i++)
		if (present(watch, i))
			gauge_report(&watch->gauge[i], watch->rows, line);
	report_gone(line, watch);
	line_count(line, "cpu_ns", cpu_ns);
	line_end(line);
}

static int watch_job(struct watch *watch, struct fault *fault)
{
	uint64_t cpu_ns;
	int error = open_gauges(watch, fault);

	if (error)
		return error;
	talk_ready(watch->talk, NULL, (int)watch->request->job.cpu);
	line_end(&watch->talk->line);
	error = talk_start(watch->talk, fault);
	if (error)
		return error;
	cpu_ns = clock_cpu();
	sample_all(watch);
	report_done(watch, clock_cpu() - cpu_ns);
	return 0;
}

static int watch_run(struct talk *talk, const void *given, struct fault *fault)
{
	struct watch watch = {
		.request = given,
		.talk = talk,
		.proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC),
	};
	int error;

	for (size_t i = 0; i < KINDS; i++)
		watch.gauge[i].fd = -1;
	error = watch_job(&watch, fault);
	for (size_t i = 0; i < KINDS; i++)
		gauge_close(&watch.gauge[i]);
	if (watch.proc >= 0)
		close(watch.proc);
	free(watch.time_ns);
	return error;
}

const struct verb verb_watch = {
	.name = "watch",
	.help = "reads counters of this host at a steady interval",
	.keys = watch_keys,
	.request_bytes = sizeof(struct watch_request),
	.run = watch_run,
};
