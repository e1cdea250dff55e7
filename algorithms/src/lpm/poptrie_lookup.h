/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups in a Poptrie, compiled once for any processor and once with the popcnt instruction.
 *
 * A batch goes down level by level: the loads of one level do not depend on each other, so they
 * overlap, and no branch depends on where a single key ends.
 */
#ifndef GM_LPM_POPTRIE_LOOKUP_H
#define GM_LPM_POPTRIE_LOOKUP_H

#include "common/bits.h"
#include "gm/poptrie.h"

enum { POPTRIE_BATCH = 64, POPTRIE_STRIDE = 6 };

struct poptrie_batch {
	uint32_t at[POPTRIE_BATCH]; /* of each key: its node, and at the end its leaf */
	uint8_t active[POPTRIE_BATCH]; /* keys that are at a node */
	uint8_t ended[POPTRIE_BATCH]; /* keys that are at a leaf */
	uint32_t active_count;
	uint32_t ended_count;
};

/* The number of what is at slot `v` of a node: a node if *inner, else a leaf. */
static inline uint32_t poptrie_step(const struct gm_poptrie_node *node, uint32_t v, uint32_t *inner)
{
	uint64_t below = ~UINT64_C(0) >> (63 - v);
	uint64_t vector = node->vector;
	uint32_t is_inner = (uint32_t)(vector >> v) & 1;
	uint64_t word = is_inner ? vector : node->leafvec;
	uint32_t base = is_inner ? node->node_base : node->leaf_base;

	*inner = is_inner;
	return base + gm_count64(word & below) - 1;
}

static inline void poptrie_begin(struct poptrie_batch *batch)
{
	batch->active_count = 0;
	batch->ended_count = 0;
}

static inline void poptrie_enter(struct poptrie_batch *batch, uint32_t i, uint32_t slot,
				 uint32_t *results)
{
	batch->at[i] = slot;
	results[i] = slot & ~GM_POPTRIE_LEAF;
	batch->active[batch->active_count] = (uint8_t)i;
	batch->active_count += !(slot & GM_POPTRIE_LEAF);
}

static inline uint32_t poptrie_chunk4(const uint32_t *keys, uint32_t i, uint32_t offset)
{
	return (uint32_t)((((uint64_t)keys[i] << 32) << offset) >> (64 - POPTRIE_STRIDE));
}

static inline uint32_t poptrie_chunk6(const struct gm_key *keys, uint32_t i, uint32_t offset)
{
	return gm_key_chunk(&keys[i], offset, POPTRIE_STRIDE);
}

/* One level down for all that are at a node; CHUNK reads a key's bits from OFFSET on. */
#define POPTRIE_LEVEL(trie, batch, keys, CHUNK, offset)                                            \
	do {                                                                                       \
		uint32_t kept = 0;                                                                 \
                                                                                                   \
		for (uint32_t j = 0; j < (batch)->active_count; j++) {                             \
			uint32_t i = (batch)->active[j];                                           \
			uint32_t v = CHUNK(keys, i, offset);                                       \
			uint32_t inner;                                                            \
                                                                                                   \
			(batch)->at[i] = poptrie_step(&(trie)->nodes[(batch)->at[i]], v, &inner);  \
			(batch)->active[kept] = (uint8_t)i;                                        \
			kept += inner;                                                             \
			(batch)->ended[(batch)->ended_count] = (uint8_t)i;                         \
			(batch)->ended_count += 1 - inner;                                         \
		}                                                                                  \
		(batch)->active_count = kept;                                                      \
	} while (0)

static inline void poptrie_finish(const struct gm_poptrie *trie, const struct poptrie_batch *batch,
				  uint32_t *results)
{
	for (uint32_t j = 0; j < batch->ended_count; j++) {
		uint32_t i = batch->ended[j];

		results[i] = trie->leaves[batch->at[i]];
	}
}

static inline void poptrie_some4(const struct gm_poptrie *trie, const uint32_t *keys,
				 uint32_t *results, uint32_t count)
{
	struct poptrie_batch batch;

	poptrie_begin(&batch);
	for (uint32_t i = 0; i < count; i++)
		poptrie_enter(&batch, i, trie->direct[keys[i] >> (32 - trie->bits)], results);
	for (uint32_t offset = trie->bits; batch.active_count; offset += POPTRIE_STRIDE)
		POPTRIE_LEVEL(trie, &batch, keys, poptrie_chunk4, offset);
	poptrie_finish(trie, &batch, results);
}

static inline void poptrie_some6(const struct gm_poptrie *trie, const struct gm_key *keys,
				 uint32_t *results, uint32_t count)
{
	struct poptrie_batch batch;

	poptrie_begin(&batch);
	for (uint32_t i = 0; i < count; i++)
		poptrie_enter(&batch, i, trie->direct[keys[i].hi >> (64 - trie->bits)], results);
	for (uint32_t offset = trie->bits; batch.active_count; offset += POPTRIE_STRIDE)
		POPTRIE_LEVEL(trie, &batch, keys, poptrie_chunk6, offset);
	poptrie_finish(trie, &batch, results);
}

static inline void poptrie_all4(const struct gm_poptrie *trie, const uint32_t *keys,
				uint32_t *results, size_t count)
{
	for (; count >= POPTRIE_BATCH; count -= POPTRIE_BATCH) {
		poptrie_some4(trie, keys, results, POPTRIE_BATCH);
		keys += POPTRIE_BATCH;
		results += POPTRIE_BATCH;
	}
	poptrie_some4(trie, keys, results, (uint32_t)count);
}

static inline void poptrie_all6(const struct gm_poptrie *trie, const struct gm_key *keys,
				uint32_t *results, size_t count)
{
	for (; count >= POPTRIE_BATCH; count -= POPTRIE_BATCH) {
		poptrie_some6(trie, keys, results, POPTRIE_BATCH);
		keys += POPTRIE_BATCH;
		results += POPTRIE_BATCH;
	}
	poptrie_some6(trie, keys, results, (uint32_t)count);
}

#endif
