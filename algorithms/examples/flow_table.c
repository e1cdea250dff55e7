/* SPDX-License-Identifier: Apache-2.0 */
/* A flow is inserted, found, counted, and expires. */
#include "gm/flow_table.h"

#include <stdio.h>

int main(void)
{
	const struct gm_flow_key key = { 0xc0a80102, 0x08080404, 40000U << 16 | 53, 17 };
	struct gm_flow_table table;
	uint32_t slot;

	if (gm_flow_table_init(&table, 65536, 0x5eed) < 0)
		return 1;
	slot = gm_flow_table_insert(&table, &key);
	table.flows[slot].seen = 100; /* s */
	table.flows[slot].packets++;
	printf("%u packets\n", (unsigned)table.flows[gm_flow_table_find(&table, &key)].packets);
	printf("%u expired\n", (unsigned)gm_flow_table_expire(&table, 140, 30, 65536));
	gm_flow_table_free(&table);
	return 0;
}

/* Prints:
 * 1 packets
 * 1 expired
 */
