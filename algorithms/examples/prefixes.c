/* SPDX-License-Identifier: Apache-2.0 */
/* A file of prefixes is read; a line that is none is named. */
#include "gm/prefixes.h"

#include <stdio.h>

static const char good[] = "# two routes\n192.0.2.7/24\n10.0.0.0/8\n";
static const char bad[] = "10.0.0.0/8\n192.0.2.0/33\n";

int main(void)
{
	struct gm_prefixes_problem problem;
	struct gm_prefixes prefixes;

	if (gm_prefixes_parse(&prefixes, 4, good, sizeof(good) - 1, &problem))
		return 1;
	printf("%u prefixes, the first of length %u\n", (unsigned)prefixes.count,
	       (unsigned)prefixes.routes[0].length);
	gm_prefixes_free(&prefixes);
	if (gm_prefixes_parse(&prefixes, 4, bad, sizeof(bad) - 1, &problem) == GM_LPM_BAD_LINE)
		printf("line %u is no prefix\n", (unsigned)problem.line);
	return 0;
}

/* Prints:
 * 2 prefixes, the first of length 8
 * line 2 is no prefix
 */
