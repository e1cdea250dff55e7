// SPDX-License-Identifier: GPL-2.0-or-later
#include "region.h"

#include <stdio.h>
#include <stdlib.h>

bool levels_read(struct levels *levels, const char *text)
{
	const char *end = text;

	levels_free(levels);
	do {
		if (end != text)
			end++;
		if (!cache_read(&levels->cache[levels->count++], end, &end))
			break;
		if (!*end)
			return true;
	} while (*end == ':' && levels->count < REGION_LEVELS);
	(void)fprintf(stderr, "counter: data=%s: write BYTES/WAYS/LINE, or two with : between\n",
		      text);
	return false;
}

void levels_free(struct levels *levels)
{
	while (levels->count) {
		struct cache *cache = &levels->cache[--levels->count];

		free(cache->line);
		*cache = (struct cache){ 0 };
	}
}

void region_run(struct head *head, uint64_t length)
{
	if (head->region.open)
		head->region.instructions += length;
}

void region_access(struct levels *levels, struct head *head, uint64_t address, bool store)
{
	struct region *region = &head->region;
	uint64_t none = 0;

	if (store && address == MARK_OPEN) {
		region->begun = 1;
		region->open++;
	} else if (store && address == MARK_CLOSE) {
		region->open -= region->open > 0;
	} else if (region->begun) {
		uint64_t counted = region->open > 0;

		region->accesses += counted;
		for (size_t at = 0; at < levels->count; at++) {
			struct cache *cache = &levels->cache[at];

			if (cache_touch(cache, address >> cache->shift, store, &none))
				break;
			region->misses[at] += counted;
		}
	}
}
