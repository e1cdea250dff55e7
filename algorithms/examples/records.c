/* SPDX-License-Identifier: Apache-2.0 */
/* Payloads one after the other, without their zero bytes. */
#include "gm/records.h"
#include "gm/match.h"

#include <stdio.h>

int main(void)
{
	static const uint8_t payload[] = { 'a', 0, 'b' };
	struct gm_records records = { 0 };

	if (gm_records_add(&records, payload, sizeof(payload)) != GM_MATCH_OK)
		return 1;
	gm_records_strip_nul(&records);
	printf("%u record of %u bytes\n", (unsigned)records.count, (unsigned)records.size);
	gm_records_free(&records);
	return 0;
}

/* Prints:
 * 1 record of 2 bytes
 */
