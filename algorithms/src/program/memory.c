/* SPDX-License-Identifier: Apache-2.0 */
#include "program/memory.h"

#include "program/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t memory_available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kilobytes = UINT64_C(1) << 53;
	char line[128];

	while (file && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
			break;
	}
	if (file)
		fclose(file);
	return (uint64_t)kilobytes << 10;
}

const char *memory_refused(uint64_t need)
{
	static char why[96];
	uint64_t available = memory_available();

	if (need <= available / 2)
		return NULL;
	snprintf(why, sizeof(why), "memory (need %llu bytes, have %llu)", (unsigned long long)need,
		 (unsigned long long)available);
	return why;
}

void *memory_new(size_t count, size_t size)
{
	void *memory = count && size <= SIZE_MAX / count ? malloc(count * size) : NULL;

	if (!memory)
		fail(1, "no memory for %zu times %zu bytes", count, size);
	/* Not zeros: a compiler may take those for calloc()'s, which no page stands behind. */
	return memset(memory, 0x55, count * size);
}
