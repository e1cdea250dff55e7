/* SPDX-License-Identifier: Apache-2.0 */
/* Three routes of IPv6 in a Poptrie, and three addresses looked up at once. */
#include "gm/poptrie.h"
#include "gm/prefixes.h"

#include <stdio.h>

static const char text[] = "::/0\n2001:db8::/32\n2001:db8:1::/48\n";

int main(void)
{
	const struct gm_key keys[] = { { UINT64_C(0x20010db800010000), 1 },
				       { UINT64_C(0x20010db800020000), 1 },
				       { UINT64_C(0x2620000000000000), 1 } };
	struct gm_prefixes_problem problem;
	struct gm_prefixes prefixes;
	uint32_t results[3];
	struct gm_poptrie table;

	if (gm_prefixes_parse(&prefixes, 6, text, sizeof(text) - 1, &problem))
		return 1;
	for (uint32_t i = 0; i < prefixes.count; i++)
		prefixes.routes[i].next_hop = 1 + i; /* a number in your own list */
	if (gm_poptrie_build(&table, &prefixes, 18))
		return 1;
	gm_prefixes_free(&prefixes); /* the table has what it needs */
	gm_poptrie_lookup6_n(&table, keys, results, 3);
	printf("%u %u %u\n", (unsigned)results[0], (unsigned)results[1], (unsigned)results[2]);
	gm_poptrie_free(&table);
	return 0;
}

/* Prints:
 * 3 2 1
 */
