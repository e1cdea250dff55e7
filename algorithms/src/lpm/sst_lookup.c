/* SPDX-License-Identifier: Apache-2.0 */
#include "lpm/sst_lookup.h"

void gm_sst_lookup4_n(const struct gm_sst *trie, const uint32_t *keys, uint32_t *results,
		      size_t count)
{
	sst_all4(trie, keys, results, count);
}

void gm_sst_lookup6_n(const struct gm_sst *trie, const struct gm_key *keys, uint32_t *results,
		      size_t count)
{
	sst_all6(trie, keys, results, count);
}
