/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a file of patterns; what is accepted must give an automaton or be refused. */
#include "automaton/nfa.h"
#include "gm/patterns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gm_match_bounds bounds = { .max_bytes = 1 << 22 };
	struct gm_match_error error = { NULL, 0, 0 };
	struct gm_patterns *patterns = gm_patterns_read(data, size);
	struct gm_nfa nfa;

	if (patterns && gm_nfa_build(&nfa, patterns, &bounds, &error) == GM_MATCH_OK)
		gm_nfa_free(&nfa);
	gm_patterns_free(patterns);
	return 0;
}
