/* SPDX-License-Identifier: Apache-2.0 */
/* A set that does not change, at 9 bits a key. */
#include "gm/binary_fuse.h"
#include "gm/error.h"

#include <stdio.h>

int main(void)
{
	const uint64_t keys[] = { 10, 20, 30 };
	const uint64_t asked[] = { 20, 25 };
	struct gm_binary_fuse filter;
	uint8_t answers[2];

	if (gm_binary_fuse_build(&filter, keys, 3) != GM_OK)
		return 1;
	gm_binary_fuse_find_many(&filter, asked, 2, answers);
	printf("%d %d\n", answers[0], answers[1]);
	gm_binary_fuse_free(&filter);
	return 0;
}

/* Prints:
 * 1 0
 */
