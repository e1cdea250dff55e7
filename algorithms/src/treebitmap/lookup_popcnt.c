/* SPDX-License-Identifier: Apache-2.0 */
#include "treebitmap/lookup.h"

void gm_treebitmap_lookup4_n_popcnt(const struct gm_treebitmap *trie, const uint32_t *keys,
				    uint32_t *results, size_t count)
{
	tbm_all4(trie, keys, results, count);
}

void gm_treebitmap_lookup6_n_popcnt(const struct gm_treebitmap *trie, const struct gm_key *keys,
				    uint32_t *results, size_t count)
{
	tbm_all6(trie, keys, results, count);
}
