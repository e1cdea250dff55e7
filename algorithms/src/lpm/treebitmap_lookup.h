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
#ifndef GM_LPM_TREEBITMAP_LOOKUP_H
#define GM_LPM_TREEBITMAP_LOOKUP_H

#include "common/bits.h"
#include "lpm/treebitmap_node.h"

enum { TBM_BATCH = 32, TBM_FEW = TBM_BATCH / 4 };

struct tbm_batch {
	uint64_t covering[TBM_BATCH]; /* positions of prefixes on the path in the best node */
	uint32_t best[TBM_BATCH]; /* the deepest node with a prefix that covers the key */
	uint32_t at[TBM_BATCH]; /* the node that is next */
	uint32_t goes_on[TBM_BATCH]; /* whether there is one: 1 or 0 */
};

/* Keys of either family. */
struct tbm_keys {
	const uint32_t *keys4; /* NULL: keys6 */
	const struct gm_key *keys6;
};

static inline struct tbm_keys tbm_keys_from(struct tbm_keys keys, size_t i)
{
	struct tbm_keys rest = { keys.keys4 ? keys.keys4 + i : NULL,
				 keys.keys4 ? NULL : keys.keys6 + i };

	return rest;
}

static inline uint32_t tbm_chunk(struct tbm_keys keys, uint32_t i, uint32_t offset, uint32_t stride)
{
	if (keys.keys4)
		return (uint32_t)((((uint64_t)keys.keys4[i] << 32) << offset) >> (64 - stride));
	return gm_key_chunk(&keys.keys6[i], offset, stride);
}

static inline uint32_t tbm_count(uint64_t bits, uint32_t stride)
{
	return stride == 6 ? gm_count64(bits) : gm_count32((uint32_t)bits);
}

static inline uint32_t tbm_rank(uint64_t bits, uint32_t i, uint32_t stride)
{
	return tbm_count(bits & ((UINT64_C(1) << i) - 1), stride);
}

static inline uint32_t tbm_highest(uint64_t bits)
{
	return bits >> 32 ? 32 + gm_highest32((uint32_t)(bits >> 32))
			  : gm_highest32((uint32_t)bits);
}

/* Visits a key's node, unless the key has ended; returns whether it goes on below. */
static inline uint32_t tbm_step(const struct gm_treebitmap *trie, uint32_t stride,
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
static inline uint32_t tbm_enter(const struct gm_treebitmap *trie, struct tbm_batch *batch,
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

static inline void tbm_finish(const struct gm_treebitmap *trie, uint32_t stride,
			      const struct tbm_batch *batch, uint32_t *results, uint32_t count)
{
	const uint16_t *next_hops = trie->results.elements;

	for (uint32_t i = 0; i < count; i++) {
		struct tbm_node node;

		if (!batch->covering[i])
			continue;
		node = tbm_load(trie->nodes.elements, stride, batch->best[i]);
		results[i] =
			next_hops[node.result_base +
				  tbm_rank(node.internal, tbm_highest(batch->covering[i]), stride)];
	}
}

/* One key from bit `offset` down to its end. */
static inline void tbm_walk(const struct gm_treebitmap *trie, uint32_t stride,
			    struct tbm_batch *batch, struct tbm_keys keys, uint32_t i,
			    uint32_t offset)
{
	while (batch->goes_on[i]) {
		tbm_step(trie, stride, batch, i, tbm_chunk(keys, i, offset, stride));
		offset += stride;
	}
}

static inline void tbm_some(const struct gm_treebitmap *trie, uint32_t stride, struct tbm_keys keys,
			    uint32_t *results, uint32_t count)
{
	struct tbm_batch batch;
	uint32_t offset = trie->bits;
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++)
		left += tbm_enter(trie, &batch, keys, i, results);
	while (left > TBM_FEW) {
		left = 0;
		for (uint32_t i = 0; i < count; i++)
			left += tbm_step(trie, stride, &batch, i,
					 tbm_chunk(keys, i, offset, stride));
		offset += stride;
	}
	for (uint32_t i = 0; i < count && left; i++)
		tbm_walk(trie, stride, &batch, keys, i, offset);
	tbm_finish(trie, stride, &batch, results, count);
}

static inline void tbm_stride(const struct gm_treebitmap *trie, uint32_t stride,
			      struct tbm_keys keys, uint32_t *results, size_t count)
{
	size_t done = 0;

	for (; count - done >= TBM_BATCH; done += TBM_BATCH)
		tbm_some(trie, stride, tbm_keys_from(keys, done), results + done, TBM_BATCH);
	tbm_some(trie, stride, tbm_keys_from(keys, done), results + done, (uint32_t)(count - done));
}

static inline void tbm_all(const struct gm_treebitmap *trie, struct tbm_keys keys,
			   uint32_t *results, size_t count)
{
	if (trie->stride == 4)
		tbm_stride(trie, 4, keys, results, count);
	else if (trie->stride == 5)
		tbm_stride(trie, 5, keys, results, count);
	else
		tbm_stride(trie, 6, keys, results, count);
}

static inline void tbm_all4(const struct gm_treebitmap *trie, const uint32_t *keys,
			    uint32_t *results, size_t count)
{
	struct tbm_keys given = { keys, NULL };

	tbm_all(trie, given, results, count);
}

static inline void tbm_all6(const struct gm_treebitmap *trie, const struct gm_key *keys,
			    uint32_t *results, size_t count)
{
	struct tbm_keys given = { NULL, keys };

	tbm_all(trie, given, results, count);
}

#endif
