/* SPDX-License-Identifier: Apache-2.0 */
/* A hash of bytes, and the faster form for four of them. */
#include "gm/lookup3.h"

#include <stdio.h>

int main(void)
{
	printf("%08x\n", (unsigned)gm_lookup3((const uint8_t *)"abcd", 4, 0));
	printf("%08x\n",
	       (unsigned)gm_lookup3_u32(0x64636261, 0)); /* the first byte is the lowest */
	return 0;
}

/* Prints:
 * b5f4889c
 * b5f4889c
 */
