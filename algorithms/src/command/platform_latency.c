/* SPDX-License-Identifier: Apache-2.0 */
/*
 * latency most=BYTES line=64: nanoseconds of a load that depends on the last one, by the size of
 * what is loaded from; two sizes an octave from 1 KiB on, or from two lines on. A second pass has
 * one cell a page, which adds what address translation costs. Plateaus are the levels of caches and
 * memory.
 */
#include "command/platform.h"
#include "gm/platform.h"
#include "platform/plateau.h"
#include "program/instances.h"
#include "program/memory.h"
#include "program/record.h"
#include "program/timing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LEAST = 1024, MOST = 256 << 20, LOADS = 1 << 20 };

struct latency {
	uint32_t *words;
	uint32_t line, page, repeats, loads, at;
	struct gm_plateaus lines, pages;
};

static double best_ns(struct latency *latency, uint32_t loads)
{
	double best = 0;

	for (uint32_t i = 0; i < latency->repeats; i++) {
		uint64_t began = timing_now();
		double ns;

		latency->at = gm_chase(latency->words, latency->at, loads);
		ns = (double)(timing_now() - began) / loads;
		best = i && best < ns ? best : ns;
	}
	return best;
}

/* `bytes` with a cell every `stride` bytes; a walk over all of them first fills the caches. */
static double measured(struct latency *latency, uint64_t bytes, uint32_t stride)
{
	uint32_t cells = (uint32_t)(bytes / stride);
	uint32_t loads = cells > latency->loads ? cells : latency->loads;

	gm_chase_init(latency->words, cells, stride / 4, 1);
	latency->at = gm_chase(latency->words, 0, cells);
	return best_ns(latency, loads);
}

/* At least two cells: one alone would be loaded from itself. */
static uint64_t least_bytes(uint32_t line)
{
	return 2 * line > LEAST ? 2 * line : LEAST;
}

static void sweep(struct latency *latency, uint64_t most)
{
	for (uint64_t octave = least_bytes(latency->line); octave <= most; octave *= 2) {
		for (uint64_t bytes = octave; bytes <= most && bytes < 2 * octave;
		     bytes += octave / 2) {
			gm_plateaus_add(&latency->lines, bytes,
					measured(latency, bytes, latency->line));
			/* A page and a line: else all cells are in the same sets of a cache. */
			if (bytes >= 4ULL * latency->page)
				gm_plateaus_add(&latency->pages, bytes,
						measured(latency, bytes,
							 latency->page + latency->line));
		}
	}
}

static void record_list(const char *prefix, const char *name, const double *values, size_t count)
{
	char whole[48];

	snprintf(whole, sizeof(whole), "%s%s", prefix, name);
	record_reals(whole, values, count);
}

static void record_plateaus(const struct gm_plateaus *plateaus, const char *prefix)
{
	record_list(prefix, "bytes", plateaus->bytes, plateaus->count);
	record_list(prefix, "ns", plateaus->ns, plateaus->count);
	record_list(prefix, "level_bytes", plateaus->level_bytes, plateaus->levels);
	record_list(prefix, "level_ns", plateaus->level_ns, plateaus->levels);
}

int platform_latency(struct ask *ask)
{
	static struct latency latency;
	uint64_t half = memory_available() / 2;
	uint64_t usual = half < MOST ? half : MOST;
	uint64_t least, most;

	latency.line = (uint32_t)ask_number(ask, "line", 64, 4, 4096) & ~3U;
	least = least_bytes(latency.line);
	most = ask_number(ask, "most", usual, least, usual > least ? usual : least);
	latency.repeats = (uint32_t)ask_number(ask, "repeats", 5, 1, 64);
	/* pass_ms=0 asks for little work, as a test does. */
	latency.loads = ask_number(ask, "pass_ms", 1, 0, 60000) ? LOADS : LOADS / 64;
	ask_end(ask);
	latency.page = (uint32_t)sysconf(_SC_PAGESIZE);
	latency.words = memory_new((size_t)most, 1);
	instances_meet();
	sweep(&latency, most);
	gm_plateaus_find(&latency.lines);
	gm_plateaus_find(&latency.pages);
	platform_record("latency");
	record_number("line", latency.line);
	record_number("page", latency.page);
	record_number("last_index", latency.at);
	record_plateaus(&latency.lines, "");
	record_plateaus(&latency.pages, "page_");
	record_end();
	free(latency.words);
	return 0;
}
