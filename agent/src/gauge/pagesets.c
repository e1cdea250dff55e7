// SPDX-License-Identifier: Apache-2.0
/*
 * Free pages that wait on the lists of the CPUs: /proc/zoneinfo, a "count:" for each CPU under
 * "pagesets" of each zone (zoneinfo_show_print(), mm/vmstat.c). MemFree is without them: of 64 MiB
 * they are up to 0.9 MB, that come and go by the second.
 */
#include "gauge/gauge.h"

#include <string.h>
#include <unistd.h>

static const char count[] = "count:";

WRAPS static void pagesets_read(struct gauge *gauge, size_t row)
{
	uint64_t pages = 0;
	char *line = gauge_text(gauge->fd);

	if (!line)
		return;
	for (; line; line = gauge_next_line(line)) {
		char *at = gauge_skip_space(line);

		if (strncmp(at, count, sizeof(count) - 1) != 0)
			continue;
		at += sizeof(count) - 1;
		pages += gauge_number(&at, 10);
	}
	gauge_set(gauge, gauge->series, 0, row, pages * (uint64_t)sysconf(_SC_PAGESIZE));
}

const struct gauge_kind gauge_pagesets = {
	.name = "pagesets",
	.path = "zoneinfo",
	.columns = { "listed_bytes" },
	.read = pagesets_read,
};
