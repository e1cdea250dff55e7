// SPDX-License-Identifier: Apache-2.0
/* Memory of the host: /proc/meminfo (proc_meminfo(5)), which gives KiB. */
#include "gauge/gauge.h"

#include <string.h>

static const char *const names[] = { "MemTotal:", "MemFree:", "MemAvailable:", "Slab:" };

#define COLUMNS (sizeof(names) / sizeof(names[0]))

static void memory_read(struct gauge *gauge, size_t row)
{
	char *line;

	for (line = gauge_text(gauge->fd); line; line = gauge_next_line(line)) {
		for (unsigned int i = 0; i < COLUMNS; i++) {
			size_t length = strlen(names[i]);
			char *at;

			if (strncmp(line, names[i], length) != 0)
				continue;
			at = line + length;
			gauge_set(gauge, gauge->series, i, row, gauge_number(&at, 10) << 10);
		}
	}
}

const struct gauge_kind gauge_memory = {
	.name = "memory",
	.path = "meminfo",
	.columns = { "total_bytes", "free_bytes", "available_bytes", "slab_bytes" },
	.read = memory_read,
};
