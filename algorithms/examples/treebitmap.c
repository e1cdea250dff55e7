/* SPDX-License-Identifier: Apache-2.0 */
/* A table of routes that changes in place. */
#include "gm/treebitmap.h"
#include "gm/prefixes.h"

#include <stdio.h>

int main(void)
{
	const struct gm_route wide = { { UINT64_C(0x0a000000) << 32, 0 }, 8, 1 };
	const struct gm_route narrow = { { UINT64_C(0x0a010000) << 32, 0 }, 16, 2 };
	const struct gm_prefixes none = { .family = 4 };
	const uint32_t key = 0x0a010203;
	struct gm_treebitmap table;
	uint32_t before;
	uint32_t after;

	if (gm_treebitmap_build(&table, &none, 5, 0) || gm_treebitmap_insert(&table, &wide) ||
	    gm_treebitmap_insert(&table, &narrow))
		return 1;
	gm_treebitmap_lookup4_n(&table, &key, &before, 1);
	if (gm_treebitmap_delete(&table, &narrow))
		return 1;
	gm_treebitmap_lookup4_n(&table, &key, &after, 1);
	printf("next hop %u, then %u\n", (unsigned)before, (unsigned)after);
	gm_treebitmap_free(&table);
	return 0;
}

/* Prints:
 * next hop 2, then 1
 */
