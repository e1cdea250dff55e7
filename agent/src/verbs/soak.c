// SPDX-License-Identifier: Apache-2.0
/* soak: counts what all other work leaves of CPUs, by a loop of the lowest priority on each. */
#include "soak/soaker.h"
#include "time/clock.h"
#include "verbs/verb.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

struct soak_request {
	struct job job;
	int64_t interval_ms;
	int64_t samples;
	struct integers cpus;
};

static const struct key soak_keys[] = {
	KEY(soak_request, interval_ms, INTEGER, .preset = 100, .min = 50, .max = 60000,
	    .help = "between two samples"),
	KEY(soak_request, samples, INTEGER, .required = true, .min = 2, .max = 100000,
	    .help = "taken at most"),
	KEY(soak_request, cpus, INTEGERS, .required = true, .max = CPU_SETSIZE - 1,
	    .help = "list of CPUs"),
	{ 0 },
};

struct soak {
	const struct soak_request *request;
	struct talk *talk;
	struct soaked *soaked; /* one for each CPU, shared */
	struct soaker *soaker;
	uint64_t *time_ns;
	uint64_t *turns; /* CPU by CPU, .samples each */
	size_t rows;
};

static size_t shared_bytes(const struct soak *soak)
{
	return soak->request->cpus.count * sizeof(*soak->soaked);
}

static int take_memory(struct soak *soak, struct fault *fault)
{
	size_t cpus = soak->request->cpus.count, samples = (size_t)soak->request->samples;

	soak->soaked = mmap(NULL, shared_bytes(soak), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	soak->soaker = calloc(cpus, sizeof(*soak->soaker));
	soak->time_ns = calloc(samples, sizeof(*soak->time_ns));
	soak->turns = calloc(cpus * samples, sizeof(*soak->turns));
	if (soak->soaked == MAP_FAILED || !soak->soaker || !soak->time_ns || !soak->turns)
		return fault_system(fault, -ENOMEM, "samples", "memory for the samples");
	return 0;
}

static int start_all(struct soak *soak, struct fault *fault)
{
	for (size_t i = 0; i < soak->request->cpus.count; i++) {
		int cpu = soak->request->cpus.item[i];
		int error = soaker_start(&soak->soaker[i], (unsigned int)cpu, &soak->soaked[i]);

		if (error == -EINVAL)
			return fault_set(fault, error, "cpus", "choose some that taskset -p lists",
					 "CPU %d is not available here", cpu);
		if (error)
			return fault_system(fault, error, "cpus", "a process of low priority");
	}
	return 0;
}

static void sample(struct soak *soak)
{
	size_t samples = (size_t)soak->request->samples;

	soak->time_ns[soak->rows] = clock_now();
	for (size_t i = 0; i < soak->request->cpus.count; i++)
		soak->turns[i * samples + soak->rows] = soaker_turns(&soak->soaker[i]);
	soak->rows++;
}

/* Room for one sample is kept for the end. */
static void sample_all(struct soak *soak)
{
	uint64_t interval_ns = (uint64_t)soak->request->interval_ms * NS_PER_MS;
	uint64_t due_ns = clock_now();

	while (!talk_over(soak->talk)) {
		if (clock_now() >= due_ns) {
			if (soak->rows + 1 < (size_t)soak->request->samples)
				sample(soak);
			due_ns += interval_ns;
		}
		talk_sleep_until(soak->talk, due_ns);
	}
	sample(soak);
}

static void report_list(struct line *line, const char *name, const uint64_t *value, size_t rows)
{
	line_list(line, name);
	for (size_t row = 0; row < rows; row++)
		line_count(line, NULL, value[row]);
	line_close(line, ']');
}

static void report_done(const struct soak *soak)
{
	struct line *line = &soak->talk->line;
	size_t samples = (size_t)soak->request->samples;
	char name[16];

	line_begin(line, "done");
	report_list(line, "t_ns", soak->time_ns, soak->rows);
	line_object(line, "turns");
	for (size_t i = 0; i < soak->request->cpus.count; i++) {
		snprintf(name, sizeof(name), "%d", soak->request->cpus.item[i]);
		report_list(line, name, soak->turns + i * samples, soak->rows);
	}
	line_close(line, '}');
	line_end(line);
}

static int soak_job(struct soak *soak, struct fault *fault)
{
	int error = take_memory(soak, fault);

	if (!error)
		error = start_all(soak, fault);
	if (error)
		return error;
	talk_ready(soak->talk, NULL, (int)soak->request->job.cpu);
	line_end(&soak->talk->line);
	error = talk_start(soak->talk, fault);
	if (error)
		return error;
	sample_all(soak);
	report_done(soak);
	return 0;
}

static int soak_run(struct talk *talk, const void *given, struct fault *fault)
{
	struct soak soak = { .request = given, .talk = talk, .soaked = MAP_FAILED };
	int error = soak_job(&soak, fault);

	for (size_t i = 0; soak.soaker && i < soak.request->cpus.count; i++)
		soaker_end(&soak.soaker[i]);
	if (soak.soaked != MAP_FAILED)
		munmap(soak.soaked, shared_bytes(&soak));
	free(soak.soaker);
	free(soak.time_ns);
	free(soak.turns);
	return error;
}

const struct verb verb_soak = {
	.name = "soak",
	.help = "counts what all other work leaves of CPUs",
	.keys = soak_keys,
	.request_bytes = sizeof(struct soak_request),
	.needs = SANDBOX_CHILDREN | SANDBOX_HASTEN,
	.run = soak_run,
};
