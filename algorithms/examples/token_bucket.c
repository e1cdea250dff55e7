/* SPDX-License-Identifier: Apache-2.0 */
/* 1 Mbit/s with a burst of two packets, of which one arrives every 4 ms; one takes 12 ms. */
#include "gm/token_bucket.h"

#include <stdio.h>

int main(void)
{
	struct gm_token_bucket bucket;

	gm_token_bucket_init(&bucket, 125000, 3000, 0);
	for (uint64_t ms = 0; ms <= 12; ms += 4)
		printf("%2u ms: %s\n", (unsigned)ms,
		       gm_token_bucket_take(&bucket, 1500, ms * 1000000) ? "sent" : "dropped");
	return 0;
}

/* Prints:
 *  0 ms: sent
 *  4 ms: sent
 *  8 ms: dropped
 * 12 ms: sent
 */
