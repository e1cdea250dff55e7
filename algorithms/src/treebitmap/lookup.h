/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups in a TreeBitmap, compiled once for any processor and once with the popcnt instruction.
 *
 * A batch goes down level by level; the longest match of each key is kept as a node and the bits of
 * its prefixes on the path, and its next hop is read once at the end. Keys that have ended stay in
 * their places and are stepped for nothing: a list of those that go on would be written where the
 * loads before it say, and each later load would have to wait for that. Once few are left, they go
 * on one by one.
 */
#ifndef GM_TREEBITMAP_LOOKUP_H
#define GM_TREEBITMAP_LOOKUP_H

#include "common/bits.h"
#include "common/inline.h"
#include "treebitmap/node.h"

enum { TBM_BATCH = 32, TBM_FEW = TBM_BATCH / 4 };

struct tbm_batch {
	uint64_t covering[TBM_BATCH]; /* positions of prefixes on the path in the best node */
	uint32_t best[TBM_BATCH]; /* the deepest node with a prefix that covers the key */
	uint32_t at[TBM_BATCH]; /* the node that is next */
	uint32_t goes_on[TBM_BATCH]; /* whether there is one: 1 or 0 */
	uint32_t left; /* how many go on */
	uint32_t places[TBM_BATCH]; /* packed first array: of the next hop that is known so far */
};

/* Keys of either family: a constant. */
struct tbm_keys {
	uint32_t family;
	const uint32_t *keys4;
	const struct gm_key *keys6;
};

GM_INLINE struct tbm_keys tbm_keys_from(struct tbm_keys keys, size_t i)
{
	if (keys.family == 4)
		keys.keys4 += i;
	else
		keys.keys6 += i;
	return keys;
}

GM_INLINE uint32_t tbm_chunk(struct tbm_keys keys, uint32_t i, uint32_t offset, uint32_t stride)
{
	if (keys.family == 4)
		return (uint32_t)((((uint64_t)keys.keys4[i] << 32) << offset) >> (64 - stride));
	return gm_key_chunk(&keys.keys6[i], offset, stride);
}

GM_INLINE uint32_t tbm_count(uint64_t bits, uint32_t stride)
{
	return stride == 6 ? gm_count64(bits) : gm_count32((uint32_t)bits);
}

GM_INLINE uint32_t tbm_rank(uint64_t bits, uint32_t i, uint32_t stride)
{
	return tbm_count(bits & ((UINT64_C(1) << i) - 1), stride);
}

/* The place of the longest prefix of those that cover a key. */
GM_INLINE uint32_t tbm_place(const struct tbm_node *node, uint64_t covering, uint32_t stride)
{
	uint64_t below = covering;

	if (stride < 6)
		return node->result_base +
		       gm_count32((uint32_t)node->internal & gm_smear32((uint32_t)covering) >> 1);
	for (uint32_t i = 1; i < 64; i *= 2)
		below |= below >> i;
	return node->result_base + gm_count64(node->internal & below >> 1);
}

/* Visits a key's node, unless the key has ended; returns whether it goes on below. */
GM_INLINE uint32_t tbm_step(const struct gm_treebitmap *trie, uint32_t stride,
			    struct tbm_batch *batch, uint32_t i, uint32_t chunk)
{
	uint32_t at = batch->at[i];
	struct tbm_node node = tbm_load(trie->nodes.elements, stride, at);
	uint32_t here = batch->goes_on[i];
	uint64_t covering = here ? node.internal & trie->paths[chunk] : 0;
	uint32_t next = node.child_base + tbm_rank(node.external, chunk, stride);

	batch->best[i] = covering ? at : batch->best[i];
	batch->covering[i] = covering ? covering : batch->covering[i];
	here &= (uint32_t)(node.external >> chunk) & 1;
	batch->at[i] = here ? next : at;
	batch->goes_on[i] = here;
	return here;
}

/* Returns whether the key has a node. */
GM_INLINE uint32_t tbm_enter(const struct gm_treebitmap *trie, struct tbm_batch *batch,
			     struct tbm_keys keys, uint32_t i, uint32_t *results)
{
	uint32_t slot = trie->bits ? tbm_chunk(keys, i, 0, trie->bits) : 0;

	batch->at[i] = trie->bits ? trie->slots[slot] : 0;
	results[i] = trie->bits ? trie->inherited[slot] : 0;
	batch->covering[i] = 0;
	batch->best[i] = 0;
	batch->goes_on[i] = !trie->bits || batch->at[i];
	return batch->goes_on[i];
}

GM_INLINE void tbm_finish(const struct gm_treebitmap *trie, uint32_t stride,
			  const struct tbm_batch *batch, uint32_t *results, uint32_t count)
{
	const uint16_t *next_hops = trie->results.elements;

	for (uint32_t i = 0; i < count; i++) {
		struct tbm_node node;

		if (!batch->covering[i])
			continue;
		node = tbm_load(trie->nodes.elements, stride, batch->best[i]);
		results[i] = next_hops[tbm_place(&node, batch->covering[i], stride)];
	}
}

/* One key from bit `offset` down to its end. */
GM_INLINE void tbm_walk(const struct gm_treebitmap *trie, uint32_t stride, struct tbm_batch *batch,
			struct tbm_keys keys, uint32_t i, uint32_t offset)
{
	while (batch->goes_on[i]) {
		tbm_step(trie, stride, batch, i, tbm_chunk(keys, i, offset, stride));
		offset += stride;
	}
}

/* All keys that go on, from bit `offset` down to their ends. */
GM_INLINE void tbm_descend(const struct gm_treebitmap *trie, uint32_t stride,
			   struct tbm_batch *batch, struct tbm_keys keys, uint32_t offset,
			   uint32_t count)
{
	while (batch->left > TBM_FEW) {
		uint32_t left = 0;

		for (uint32_t i = 0; i < count; i++)
			left += tbm_step(trie, stride, batch, i,
					 tbm_chunk(keys, i, offset, stride));
		batch->left = left;
		offset += stride;
	}
	for (uint32_t i = 0; i < count && batch->left; i++)
		tbm_walk(trie, stride, batch, keys, i, offset);
}

GM_INLINE void tbm_some(const struct gm_treebitmap *trie, uint32_t stride, struct tbm_keys keys,
			uint32_t *results, uint32_t count)
{
	struct tbm_batch batch;

	batch.left = 0;
	for (uint32_t i = 0; i < count; i++)
		batch.left += tbm_enter(trie, &batch, keys, i, results);
	tbm_descend(trie, stride, &batch, keys, trie->bits, count);
	tbm_finish(trie, stride, &batch, results, count);
}

/* A slot's node, or the place of its next hop: the other is 0. Chosen by masks, not by branches. */
GM_INLINE void tbm_enter_packed(const struct gm_treebitmap *trie, struct tbm_batch *batch,
				uint32_t i, uint32_t slot)
{
	const struct gm_tbm_block *block = &trie->blocks[slot >> 5];
	uint32_t within = slot & 31;
	uint32_t is_node = 0 - (block->nodes >> within & 1);
	uint32_t bits = (block->nodes & is_node) | (block->changes & ~is_node);
	uint32_t base = (block->node_base & is_node) | (block->result_base & ~is_node);
	uint32_t place = base + gm_rank32(bits, within);

	batch->at[i] = place & is_node;
	batch->places[i] = place & ~is_node;
}

/* Visits a key's first node, the empty one if it has none. Returns whether it goes on below. */
GM_INLINE uint32_t tbm_first(const struct gm_treebitmap *trie, uint32_t stride,
			     struct tbm_batch *batch, uint32_t i, uint32_t chunk)
{
	struct tbm_node node = tbm_load(trie->nodes.elements, stride, batch->at[i]);
	uint64_t covering = node.internal & trie->paths[chunk];

	batch->places[i] |= tbm_place(&node, covering, stride) & (0 - (uint32_t)(covering != 0));
	return (uint32_t)(node.external >> chunk) & 1;
}

/* Goes down from the first nodes, for keys of which some have more than that. */
GM_INLINE void tbm_below_packed(const struct gm_treebitmap *trie, uint32_t stride,
				struct tbm_batch *batch, struct tbm_keys keys, uint32_t *results,
				uint32_t count)
{
	batch->left = 0;
	for (uint32_t i = 0; i < count; i++) {
		batch->covering[i] = 0;
		batch->best[i] = 0;
		batch->goes_on[i] = batch->at[i] != 0;
		batch->left += batch->goes_on[i];
	}
	tbm_descend(trie, stride, batch, keys, trie->bits, count);
	tbm_finish(trie, stride, batch, results, count);
}

GM_INLINE void tbm_some_packed(const struct gm_treebitmap *trie, uint32_t stride,
			       struct tbm_keys keys, uint32_t *results, uint32_t count)
{
	const uint16_t *next_hops = trie->results.elements;
	struct tbm_batch batch;
	uint32_t below = 0;

	for (uint32_t i = 0; i < count; i++)
		tbm_enter_packed(trie, &batch, i, tbm_chunk(keys, i, 0, trie->bits));
	for (uint32_t i = 0; i < count; i++)
		below |= tbm_first(trie, stride, &batch, i, tbm_chunk(keys, i, trie->bits, stride));
	for (uint32_t i = 0; i < count; i++)
		results[i] = next_hops[batch.places[i]];
	if (below)
		tbm_below_packed(trie, stride, &batch, keys, results, count);
}

GM_INLINE void tbm_stride(const struct gm_treebitmap *trie, uint32_t stride, struct tbm_keys keys,
			  uint32_t *results, size_t count)
{
	size_t done = 0;
	uint32_t some = TBM_BATCH;

	for (; done < count; done += some) {
		if (count - done < TBM_BATCH)
			some = (uint32_t)(count - done);
		if (trie->blocks)
			tbm_some_packed(trie, stride, tbm_keys_from(keys, done), results + done,
					some);
		else
			tbm_some(trie, stride, tbm_keys_from(keys, done), results + done, some);
	}
}

GM_INLINE void tbm_all(const struct gm_treebitmap *trie, struct tbm_keys keys, uint32_t *results,
		       size_t count)
{
	if (trie->stride == 4)
		tbm_stride(trie, 4, keys, results, count);
	else if (trie->stride == 5)
		tbm_stride(trie, 5, keys, results, count);
	else
		tbm_stride(trie, 6, keys, results, count);
}

GM_INLINE void tbm_all4(const struct gm_treebitmap *trie, const uint32_t *keys, uint32_t *results,
			size_t count)
{
	struct tbm_keys given = { 4, keys, NULL };

	tbm_all(trie, given, results, count);
}

GM_INLINE void tbm_all6(const struct gm_treebitmap *trie, const struct gm_key *keys,
			uint32_t *results, size_t count)
{
	struct tbm_keys given = { 6, NULL, keys };

	tbm_all(trie, given, results, count);
}

#endif
