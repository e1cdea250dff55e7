/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a record has a match of an expression. */
#include "gm/lazy.h"
#include "gm/match.h"
#include "gm/patterns.h"

#include <stdio.h>

int main(void)
{
	static const char rule[] = "/user=[a-z]{3,8}&/\n";
	static const char request[] = "POST user=alice&x=1";
	const struct gm_match_bounds bounds = { 0 };
	struct gm_match_error error = { 0 };
	struct gm_patterns *patterns = gm_patterns_read((const uint8_t *)rule, sizeof(rule) - 1);
	struct gm_lazy *lazy = patterns ? gm_lazy_new(patterns, &bounds, 0, &error) : NULL;

	if (!lazy)
		return 1;
	printf("%d\n", gm_lazy_matches(lazy, (const uint8_t *)request, sizeof(request) - 1));
	gm_lazy_free(lazy);
	gm_patterns_free(patterns);
	return 0;
}

/* Prints:
 * 1
 */
