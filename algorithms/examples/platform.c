/* SPDX-License-Identifier: Apache-2.0 */
/* Memory is read in one random cycle: after as many loads as it has cells it is back. */
#include "gm/platform.h"

#include <stdio.h>

int main(void)
{
	static uint32_t words[64 * 16];

	gm_chase_init(words, 64, 16, 1);
	printf("%u\n", (unsigned)gm_chase(words, 0, 64));
	return 0;
}

/* Prints:
 * 0
 */
