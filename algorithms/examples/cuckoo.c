/* SPDX-License-Identifier: Apache-2.0 */
/* A set of 1 000 keys at 12.8 bits each, from which one is taken out. */
#include "gm/cuckoo.h"
#include "gm/error.h"

#include <stdio.h>

int main(void)
{
	const uint64_t member = 0xc0000201;
	const uint64_t other = 0xc0000202;
	struct gm_cuckoo filter;

	if (gm_cuckoo_init(&filter, gm_cuckoo_buckets(1000)) != GM_OK)
		return 1;
	if (gm_cuckoo_add(&filter, member) != GM_OK)
		return 1; /* it is full */
	printf("member: %d, other: %d\n", gm_cuckoo_find(&filter, member),
	       gm_cuckoo_find(&filter, other));
	gm_cuckoo_remove(&filter, member);
	printf("removed: %d\n", gm_cuckoo_find(&filter, member));
	gm_cuckoo_free(&filter);
	return 0;
}

/* Prints:
 * member: 1, other: 0
 * removed: 0
 */
