/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of patterns: what is accepted gives an automaton or is refused, and each line
 * is searched or named. */
#include "automaton/nfa.h"
#include "fuzz/fuzz.h"
#include "gm/patterns.h"
#include "tests/accounted.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gm_match_bounds bounds = { .max_bytes = 1 << 22 };
	struct gm_match_error error = { NULL, 0, 0 };
	struct gm_patterns *patterns = gm_patterns_read(data, size);
	struct gm_nfa nfa;

	REQUIRE(!patterns || !line_left_out(patterns, data, size));
	if (patterns && gm_nfa_build(&nfa, patterns, &bounds, &error) == GM_MATCH_OK)
		gm_nfa_free(&nfa);
	gm_patterns_free(patterns);
	return 0;
}
