/* SPDX-License-Identifier: Apache-2.0 */
/* A set of addresses in a Bloom filter of 8 bits a key. */
#include "gm/bloom.h"
#include "gm/error.h"

#include <stdio.h>

int main(void)
{
	const uint8_t member[] = { 192, 0, 2, 1 };
	const uint8_t other[] = { 192, 0, 2, 2 };
	struct gm_bloom filter;

	if (gm_bloom_init(&filter, 1 << 16, 6) != GM_OK)
		return 1;
	gm_bloom_add(&filter, member, sizeof(member));
	printf("member: %d, other: %d\n", gm_bloom_find(&filter, member, sizeof(member)),
	       gm_bloom_find(&filter, other, sizeof(other)));
	gm_bloom_free(&filter);
	return 0;
}

/* Prints:
 * member: 1, other: 0
 */
