/* SPDX-License-Identifier: Apache-2.0 */
/* Three routes in a table of 20, 4 and 8 bits, and three addresses looked up at once. */
#include "gm/dir20.h"
#include "gm/prefixes.h"

#include <stdio.h>

static const char text[] = "0.0.0.0/0\n10.0.0.0/8\n10.1.0.0/16\n";

int main(void)
{
	const uint32_t keys[] = { 0x0a010203, 0x0a020304, 0xc0000201 };
	struct gm_prefixes_problem problem;
	struct gm_prefixes prefixes;
	uint32_t results[3];
	struct gm_dir20 table;

	if (gm_prefixes_parse(&prefixes, 4, text, sizeof(text) - 1, &problem))
		return 1;
	for (uint32_t i = 0; i < prefixes.count; i++)
		prefixes.routes[i].next_hop = 1 + i; /* a number in your own list */
	if (gm_dir20_build(&table, &prefixes))
		return 1;
	gm_prefixes_free(&prefixes); /* the table has what it needs */
	gm_dir20_lookup_n(&table, keys, results, 3);
	printf("%u %u %u\n", (unsigned)results[0], (unsigned)results[1], (unsigned)results[2]);
	gm_dir20_free(&table);
	return 0;
}

/* Prints:
 * 3 2 1
 */
