/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups in a TreeBitmap, compiled once for any processor and once with the popcnt instruction.
 * A batch goes down level by level; the longest match of each key is kept as a node and the bits
 * of its prefixes on the path, and its next hop is read once at the end.
 */
#ifndef GM_LPM_TREEBITMAP_LOOKUP_H
#define GM_LPM_TREEBITMAP_LOOKUP_H

#include "common/bits.h"
#include "lpm/treebitmap_node.h"

enum { TBM_BATCH = 32 };

struct tbm_batch {
	uint64_t covering[TBM_BATCH]; /* positions of prefixes on the path in the best node */
	uint32_t best[TBM_BATCH]; /* the deepest node with a prefix that covers the key */
	uint32_t at[TBM_BATCH]; /* the node that is next */
	uint8_t active[TBM_BATCH];
	uint32_t active_count;
};

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

/* Visits the key's node; returns whether it goes on below. */
static inline uint32_t tbm_step(const struct gm_treebitmap *trie, uint32_t stride,
				struct tbm_batch *batch, uint32_t i, uint32_t chunk)
{
	struct tbm_node node = tbm_load(trie->nodes.elements, stride, batch->at[i]);
	uint64_t covering = node.internal & trie->paths[chunk];

	batch->best[i] = covering ? batch->at[i] : batch->best[i];
	batch->covering[i] = covering ? covering : batch->covering[i];
	batch->at[i] = node.child_base + tbm_rank(node.external, chunk, stride);
	return (uint32_t)(node.external >> chunk) & 1;
}

static inline void tbm_enter(const struct gm_treebitmap *trie, struct tbm_batch *batch, uint32_t i,
			     uint64_t top, uint32_t *results)
{
	uint64_t slot = trie->bits ? top >> (64 - trie->bits) : 0;

	batch->at[i] = trie->bits ? trie->slots[slot] : 0;
	results[i] = trie->bits ? trie->inherited[slot] : 0;
	batch->covering[i] = 0;
	batch->active[batch->active_count] = (uint8_t)i;
	batch->active_count += !trie->bits || batch->at[i];
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

static inline void tbm_some4(const struct gm_treebitmap *trie, uint32_t stride,
			     const uint32_t *keys, uint32_t *results, uint32_t count)
{
	struct tbm_batch batch;

	batch.active_count = 0;
	for (uint32_t i = 0; i < count; i++)
		tbm_enter(trie, &batch, i, (uint64_t)keys[i] << 32, results);
	for (uint32_t offset = trie->bits; batch.active_count; offset += stride) {
		uint32_t kept = 0;

		for (uint32_t j = 0; j < batch.active_count; j++) {
			uint32_t i = batch.active[j];
			uint64_t left = ((uint64_t)keys[i] << 32) << offset;

			batch.active[kept] = (uint8_t)i;
			kept += tbm_step(trie, stride, &batch, i,
					 (uint32_t)(left >> (64 - stride)));
		}
		batch.active_count = kept;
	}
	tbm_finish(trie, stride, &batch, results, count);
}

static inline void tbm_some6(const struct gm_treebitmap *trie, uint32_t stride,
			     const struct gm_key *keys, uint32_t *results, uint32_t count)
{
	struct tbm_batch batch;

	batch.active_count = 0;
	for (uint32_t i = 0; i < count; i++)
		tbm_enter(trie, &batch, i, keys[i].hi, results);
	for (uint32_t offset = trie->bits; batch.active_count; offset += stride) {
		uint32_t kept = 0;

		for (uint32_t j = 0; j < batch.active_count; j++) {
			uint32_t i = batch.active[j];

			batch.active[kept] = (uint8_t)i;
			kept += tbm_step(trie, stride, &batch, i,
					 gm_key_chunk(&keys[i], offset, stride));
		}
		batch.active_count = kept;
	}
	tbm_finish(trie, stride, &batch, results, count);
}

static inline void tbm_stride4(const struct gm_treebitmap *trie, uint32_t stride,
			       const uint32_t *keys, uint32_t *results, size_t count)
{
	for (; count >= TBM_BATCH; count -= TBM_BATCH) {
		tbm_some4(trie, stride, keys, results, TBM_BATCH);
		keys += TBM_BATCH;
		results += TBM_BATCH;
	}
	tbm_some4(trie, stride, keys, results, (uint32_t)count);
}

static inline void tbm_stride6(const struct gm_treebitmap *trie, uint32_t stride,
			       const struct gm_key *keys, uint32_t *results, size_t count)
{
	for (; count >= TBM_BATCH; count -= TBM_BATCH) {
		tbm_some6(trie, stride, keys, results, TBM_BATCH);
		keys += TBM_BATCH;
		results += TBM_BATCH;
	}
	tbm_some6(trie, stride, keys, results, (uint32_t)count);
}

static inline void tbm_all4(const struct gm_treebitmap *trie, const uint32_t *keys,
			    uint32_t *results, size_t count)
{
	if (trie->stride == 4)
		tbm_stride4(trie, 4, keys, results, count);
	else if (trie->stride == 5)
		tbm_stride4(trie, 5, keys, results, count);
	else
		tbm_stride4(trie, 6, keys, results, count);
}

static inline void tbm_all6(const struct gm_treebitmap *trie, const struct gm_key *keys,
			    uint32_t *results, size_t count)
{
	if (trie->stride == 4)
		tbm_stride6(trie, 4, keys, results, count);
	else if (trie->stride == 5)
		tbm_stride6(trie, 5, keys, results, count);
	else
		tbm_stride6(trie, 6, keys, results, count);
}

#endif
