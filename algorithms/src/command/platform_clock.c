/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock: MHz by the time that dependent operations take, beside what the kernel says. cores: how
 * many processors are on-line, their caches, and the sizes of lines and pages.
 */
#include "command/platform.h"
#include "gm/platform.h"
#include "program/instances.h"
#include "program/record.h"
#include "program/timing.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { WINDOW_NS = 10000000, WINDOWS = 9 };

static volatile uint32_t seed = 0x12345678;
static volatile uint32_t sink;

static uint64_t chained(uint32_t rounds)
{
	uint64_t began = timing_now();

	sink = gm_clock_chain(seed, seed ^ 0x5bd1e995, seed ^ 0x1b873593, rounds);
	return timing_now() - began;
}

double platform_mhz(uint32_t windows)
{
	uint32_t rounds = 1024;
	double best = 0;

	while (chained(rounds) < WINDOW_NS && rounds < 1U << 30)
		rounds *= 2;
	for (uint32_t i = 0; i < windows; i++) {
		double ns = (double)chained(rounds);
		double mhz = 2.0 * (double)GM_CLOCK_STEPS * rounds / ns * 1000;

		best = mhz > best ? mhz : best;
	}
	return best;
}

/* The number that a file of /sys begins with, and the letter behind it (or 0). */
static uint64_t read_number(const char *path, char *unit)
{
	unsigned long long number = 0;
	FILE *file = fopen(path, "re");

	*unit = 0;
	if (file) {
		if (fscanf(file, "%llu%c", &number, unit) < 1)
			number = 0;
		fclose(file);
	}
	return number;
}

/* MHz that the kernel says, or 0: most boards do not say. */
static double advertised(void)
{
	const char *path = "/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq";
	double mhz = 0;
	char line[256], unit;
	FILE *file;

	mhz = (double)read_number(path, &unit) / 1000;
	file = mhz > 0 ? NULL : fopen("/proc/cpuinfo", "re");
	while (file && mhz <= 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "cpu MHz : %lf", &mhz) != 1)
			mhz = 0;
	}
	if (file)
		fclose(file);
	return mhz;
}

int platform_clock(struct ask *ask)
{
	uint32_t windows = (uint32_t)ask_number(ask, "repeats", WINDOWS, 1, 1000);

	ask_number(ask, "pass_ms", 0, 0, 60000); /* a window is 10 ms, whatever is asked */
	ask_end(ask);
	instances_meet();
	platform_record("clock");
	record_real("mhz", platform_mhz(windows));
	record_real("advertised_mhz", advertised());
	record_end();
	return 0;
}

enum { CACHES = 8 };

struct cache {
	char type[16];
	uint64_t level, bytes, line;
};

static uint64_t attribute(int index, const char *name)
{
	char path[128], unit;
	uint64_t number;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, name);
	number = read_number(path, &unit);
	return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

static int read_cache(struct cache *cache, int index)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/type", index);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%15s", cache->type) != 1)
		strcpy(cache->type, "Unknown");
	fclose(file);
	cache->level = attribute(index, "level");
	cache->bytes = attribute(index, "size");
	cache->line = attribute(index, "coherency_line_size");
	return 1;
}

uint64_t platform_last_cache(void)
{
	struct cache cache;
	uint64_t last = 0;

	for (int i = 0; i < CACHES && read_cache(&cache, i); i++)
		last = cache.bytes > last ? cache.bytes : last;
	return last;
}

static void record_cache(const struct cache *cache)
{
	/* L1d, L1i, L2, L3: as lscpu names them. */
	const char *suffix = strcmp(cache->type, "Data") == 0	       ? "d"
			     : strcmp(cache->type, "Instruction") == 0 ? "i"
								       : "";
	char name[32];

	snprintf(name, sizeof(name), "l%u%s_bytes", (unsigned)cache->level, suffix);
	record_number(name, cache->bytes);
	snprintf(name, sizeof(name), "l%u%s_line", (unsigned)cache->level, suffix);
	record_number(name, cache->line);
}

int platform_cores(struct ask *ask)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);
	struct cache cache;

	ask_number(ask, "repeats", 1, 1, 1000);
	ask_number(ask, "pass_ms", 0, 0, 60000);
	ask_end(ask);
	platform_record("cores");
	record_number("cores", cores > 0 ? (uint64_t)cores : 0);
	record_number("page_bytes", page > 0 ? (uint64_t)page : 0);
	for (int i = 0; i < CACHES && read_cache(&cache, i); i++)
		record_cache(&cache);
	record_end();
	return 0;
}

void platform_record(const char *measure)
{
	record_begin("platform");
	record_number("instance", instances_number());
	record_text("measure", measure);
}
