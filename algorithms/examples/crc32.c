/* SPDX-License-Identifier: Apache-2.0 */
/* A CRC in two parts. */
#include "gm/crc32.h"

#include <stdio.h>

int main(void)
{
	static struct gm_crc32 crc32;
	uint32_t crc;

	gm_crc32_init(&crc32, GM_CRC32_ETHERNET);
	crc = gm_crc32_sliced(&crc32, 0, (const uint8_t *)"12345", 5);
	crc = gm_crc32_sliced(&crc32, crc, (const uint8_t *)"6789", 4);
	printf("%08x\n", (unsigned)crc);
	return 0;
}

/* Prints:
 * cbf43926
 */
