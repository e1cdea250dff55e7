/* SPDX-License-Identifier: Apache-2.0 */
/* A file of rules is read; a rule that is refused is named with its line. */
#include "gm/patterns.h"

#include <stdio.h>

int main(void)
{
	static const char rules[] = "/GET [^ ]*/\n/(open/\n";
	struct gm_patterns *patterns = gm_patterns_read((const uint8_t *)rules, sizeof(rules) - 1);

	if (!patterns)
		return 1;
	printf("%u rule, %u refused in line %u\n", (unsigned)patterns->count,
	       (unsigned)patterns->rejected_count, (unsigned)patterns->rejected[0].line);
	gm_patterns_free(patterns);
	return 0;
}

/* Prints:
 * 1 rule, 1 refused in line 2
 */
