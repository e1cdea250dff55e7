/* SPDX-License-Identifier: Apache-2.0 */
/* A header's checksum is corrected where one field changes. */
#include "gm/checksum.h"

#include <stdio.h>

int main(void)
{
	/* RFC 1624, section 4: the sum 0xdd2f, and a field that goes from 0x5555 to 0x3285. */
	uint16_t corrected = gm_checksum_update(0xdd2f, 0x5555, 0x3285);
	const uint8_t words[] = { 0x45, 0x00, 0x00, 0x73 };

	printf("%04x\n", corrected);
	printf("%04x\n", gm_checksum(words, sizeof(words)));
	return 0;
}

/* Prints:
 * 0000
 * ba8c
 */
