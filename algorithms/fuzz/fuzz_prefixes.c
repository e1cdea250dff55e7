/* SPDX-License-Identifier: Apache-2.0 */
/* A file of prefixes by someone else: read, or refused with a line; never a crash. */
#include "gm/prefixes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned family = 4; family <= 6; family += 2) {
		struct gm_prefixes prefixes;
		struct gm_prefixes_problem problem;
		int error =
			gm_prefixes_parse(&prefixes, family, (const char *)data, size, &problem);

		if (error == GM_LPM_BAD_LINE && !problem.reason)
			abort();
		gm_prefixes_free(&prefixes);
	}
	return 0;
}
