/* SPDX-License-Identifier: Apache-2.0 */
/* A Bloom filter from which a key is taken out. */
#include "gm/counting_bloom.h"
#include "gm/error.h"

#include <stdio.h>

int main(void)
{
	const uint8_t member[] = { 192, 0, 2, 1 };
	const uint8_t other[] = { 192, 0, 2, 2 };
	struct gm_counting_bloom filter;

	if (gm_counting_bloom_init(&filter, 1 << 16, 8) != GM_OK)
		return 1;
	gm_counting_bloom_add(&filter, member, sizeof(member));
	printf("member: %d, other: %d\n", gm_counting_bloom_find(&filter, member, sizeof(member)),
	       gm_counting_bloom_find(&filter, other, sizeof(other)));
	gm_counting_bloom_remove(&filter, member, sizeof(member));
	printf("removed: %d\n", gm_counting_bloom_find(&filter, member, sizeof(member)));
	gm_counting_bloom_free(&filter);
	return 0;
}

/* Prints:
 * member: 1, other: 0
 * removed: 0
 */
