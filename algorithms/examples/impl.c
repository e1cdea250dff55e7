/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions a filter may use on this processor. */
#include "gm/impl.h"

#include <stdio.h>

int main(void)
{
	printf("%s: %d\n", gm_impl_name(GM_PORTABLE), gm_impl_runs(GM_PORTABLE));
	return 0;
}

/* Prints:
 * portable: 1
 */
