/* SPDX-License-Identifier: Apache-2.0 */
/* The plain trie that other structures are tested against. */
#include "gm/unibit.h"
#include "gm/prefixes.h"

#include <stdio.h>

int main(void)
{
	const struct gm_route route = { { UINT64_C(0xc0000200) << 32, 0 }, 24, 7 };
	const struct gm_key inside = gm_key4(0xc0000201);
	const struct gm_key outside = gm_key4(0xc0000301);
	struct gm_unibit trie;

	if (gm_unibit_init(&trie) || gm_unibit_insert(&trie, &route))
		return 1;
	printf("%u %u\n", (unsigned)gm_unibit_lookup(&trie, &inside, 32),
	       (unsigned)gm_unibit_lookup(&trie, &outside, 32));
	gm_unibit_free(&trie);
	return 0;
}

/* Prints:
 * 7 0
 */
