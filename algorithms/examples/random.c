/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that are the same on every processor. */
#include "gm/random.h"

#include <stdio.h>

int main(void)
{
	struct gm_random random = { 0 };
	uint64_t first = gm_random_u64(&random);

	printf("%08x%08x\n", (unsigned)(first >> 32), (unsigned)first);
	printf("%d\n", gm_random_below(&random, 6) < 6);
	return 0;
}

/* Prints:
 * e220a8397b1dcdaf
 * 1
 */
