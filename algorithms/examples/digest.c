/* SPDX-License-Identifier: Apache-2.0 */
/* Results are compared between processors by one number. */
#include "gm/digest.h"

#include <stdio.h>

int main(void)
{
	const uint8_t text[] = { 'f', 'o', 'o', 'b', 'a', 'r' };
	uint64_t digest = gm_digest_bytes(GM_DIGEST_EMPTY, text, sizeof(text));

	printf("%08x%08x\n", (unsigned)(digest >> 32), (unsigned)digest);
	return 0;
}

/* Prints:
 * 85944171f73967e8
 */
