/* SPDX-License-Identifier: Apache-2.0 */
#include "lpm/poptrie_lookup.h"

void gm_poptrie_lookup4_n_popcnt(const struct gm_poptrie *trie, const uint32_t *keys,
				 uint32_t *results, size_t count)
{
	poptrie_all4(trie, keys, results, count);
}

void gm_poptrie_lookup6_n_popcnt(const struct gm_poptrie *trie, const struct gm_key *keys,
				 uint32_t *results, size_t count)
{
	poptrie_all6(trie, keys, results, count);
}
