/* SPDX-License-Identifier: Apache-2.0 */
/* A blocked filter from which a key is taken out. */
#include "gm/blocked_counting_bloom.h"
#include "gm/error.h"

#include <stdio.h>

int main(void)
{
	const uint64_t member = 0xc0000201;
	const uint64_t other = 0xc0000202;
	struct gm_blocked_counting_bloom filter;

	if (gm_blocked_counting_bloom_init(&filter, gm_blocked_counting_bloom_blocks(1000)) !=
	    GM_OK)
		return 1;
	gm_blocked_counting_bloom_add(&filter, member);
	printf("member: %d, other: %d\n", gm_blocked_counting_bloom_find(&filter, member),
	       gm_blocked_counting_bloom_find(&filter, other));
	gm_blocked_counting_bloom_remove(&filter, member);
	printf("removed: %d\n", gm_blocked_counting_bloom_find(&filter, member));
	gm_blocked_counting_bloom_free(&filter);
	return 0;
}

/* Prints:
 * member: 1, other: 0
 * removed: 0
 */
