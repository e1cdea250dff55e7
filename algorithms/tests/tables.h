/* SPDX-License-Identifier: Apache-2.0 */
/* Tables for tests: those of the folder GM_TABLES, where it is set, and small random ones. */
#ifndef GM_TESTS_TABLES_H
#define GM_TESTS_TABLES_H

#include "gm/digest.h"
#include "gm/prefixes.h"
#include "gm/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a table with its 256 next hops; 0 if it is not there. */
static inline int table_read(struct gm_prefixes *prefixes, unsigned family, const char *name)
{
	struct gm_prefixes_problem problem;
	const char *folder = getenv("GM_TABLES");
	char path[512];
	char *text;
	size_t size;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".", name);
	file = folder ? fopen(path, "rb") : NULL;
	if (!file) {
		printf("# skipped: no table %s in the folder that GM_TABLES names\n", name);
		return 0;
	}
	fseek(file, 0, SEEK_END);
	size = (size_t)ftell(file);
	rewind(file);
	text = malloc(size + 1);
	size = text ? fread(text, 1, size, file) : 0;
	fclose(file);
	if (gm_prefixes_parse(prefixes, family, text, size, &problem))
		abort();
	free(text);
	gm_prefixes_next_hops(prefixes, 256);
	return 1;
}

/* A table of up to `most` random prefixes that often share their first bits. */
static inline void table_draw(struct gm_prefixes *prefixes, struct gm_random *random,
			      unsigned family, uint32_t most)
{
	uint32_t count = gm_random_below(random, most + 1);
	uint64_t keep = gm_random_u64(random);

	memset(prefixes, 0, sizeof(*prefixes));
	prefixes->family = family;
	for (uint32_t i = 0; i < count; i++) {
		struct gm_route route = { { gm_random_u64(random) & keep, gm_random_u64(random) },
					  gm_random_below(random, family == 4 ? 33 : 129),
					  0 };
		struct gm_key mask = gm_key_mask(route.length);

		route.key.hi &= mask.hi;
		route.key.lo &= mask.lo;
		if (gm_prefixes_add(prefixes, &route))
			abort();
	}
	gm_prefixes_sort(prefixes);
	gm_prefixes_next_hops(prefixes, 1 + gm_random_below(random, 300));
}

#endif
