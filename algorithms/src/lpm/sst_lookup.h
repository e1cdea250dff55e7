/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Look-ups in a Shape Shifting Trie, compiled once for any processor and once with the popcnt
 * instruction. A batch visits one node a key and level, so that the loads of nodes overlap.
 */
#ifndef GM_LPM_SST_LOOKUP_H
#define GM_LPM_SST_LOOKUP_H

#include "common/bits.h"
#include "gm/shape_shifting_trie.h"

enum { SST_BATCH = 32, SST_ABSENT = UINT32_MAX };

struct sst_node {
	uint32_t shape; /* bits 2j and 2j+1: the children of member j are in the piece */
	uint32_t internal; /* bit j: member j is a prefix */
	uint32_t external; /* bit z: the z-th 0 of the shape leads to a node */
	uint32_t child_base, result_base;
};

static inline struct sst_node sst_load(const struct gm_sst *trie, uint32_t size, uint32_t number)
{
	struct sst_node loaded;

	if (size == 7) {
		const struct gm_sst7_node *node = (const struct gm_sst7_node *)trie->nodes + number;

		loaded.shape = node->bits & 0x3fff;
		loaded.internal = node->bits >> 14 & 0x7f;
		loaded.external = node->bits >> 21;
		loaded.child_base = node->child_base;
		loaded.result_base = node->result_base;
	} else {
		const struct gm_sst15_node *node =
			(const struct gm_sst15_node *)trie->nodes + number;

		loaded.shape = (uint32_t)node->bits & 0x3fffffff;
		loaded.internal = (uint32_t)(node->bits >> 30) & 0x7fff;
		loaded.external = (uint32_t)(node->bits >> 45);
		loaded.child_base = node->child_base;
		loaded.result_base = node->result_base;
	}
	return loaded;
}

struct sst_batch {
	uint32_t at[SST_BATCH]; /* the node that is next */
	uint32_t best[SST_BATCH]; /* the place of the longest match's result */
	uint8_t depth[SST_BATCH]; /* bits of the key that were used */
	uint8_t active[SST_BATCH];
};

/* Visits the key's node; returns whether it goes on below. `key` is the key's next 32 bits. */
static inline uint32_t sst_step(const struct gm_sst *trie, uint32_t size, struct sst_batch *batch,
				uint32_t i, uint32_t key, uint32_t left)
{
	struct sst_node node = sst_load(trie, size, batch->at[i]);
	uint32_t passed = 1; /* members on the path, a bit each: later ones are deeper */
	uint32_t member = 0;
	uint32_t place = 0;
	uint32_t ones = 0;
	uint32_t used = 0;
	uint32_t within = 1;
	uint32_t covering;

	while (within && used < left) {
		place = 2 * member + (key >> (31 - used) & 1);
		used++;
		ones = gm_rank32(node.shape, place);
		within = node.shape >> place & 1;
		member = ones + 1;
		passed |= within << (member & 15);
	}
	batch->depth[i] = (uint8_t)(batch->depth[i] + used);
	covering = passed & node.internal;
	if (covering)
		batch->best[i] =
			node.result_base + gm_rank32(node.internal, gm_highest32(covering));
	if (within)
		return 0; /* the key ends in this piece */
	batch->at[i] = node.child_base + gm_rank32(node.external, place - ones);
	return node.external >> (place - ones) & 1;
}

static inline void sst_finish(const struct gm_sst *trie, const struct sst_batch *batch,
			      uint32_t *results, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		results[i] = batch->best[i] == SST_ABSENT ? 0 : trie->results[batch->best[i]];
}

static inline void sst_begin(struct sst_batch *batch, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		batch->at[i] = 0;
		batch->best[i] = SST_ABSENT;
		batch->depth[i] = 0;
		batch->active[i] = (uint8_t)i;
	}
}

/* The 32 bits of a key from bit `offset` on, zeros beyond its end. */
static inline uint32_t sst_window4(const uint32_t *keys, uint32_t i, uint32_t offset)
{
	return (uint32_t)(((uint64_t)keys[i] << offset) & UINT32_MAX);
}

static inline uint32_t sst_window6(const struct gm_key *keys, uint32_t i, uint32_t offset)
{
	return gm_key_chunk(&keys[i], offset, 32);
}

#define SST_SOME(trie, size, keys, WINDOW, bits, results, number)                                  \
	do {                                                                                       \
		struct sst_batch batch;                                                            \
		uint32_t active = number;                                                          \
                                                                                                   \
		sst_begin(&batch, number);                                                         \
		while (active) {                                                                   \
			uint32_t kept = 0;                                                         \
                                                                                                   \
			for (uint32_t j = 0; j < active; j++) {                                    \
				uint32_t i = batch.active[j];                                      \
				uint32_t depth = batch.depth[i];                                   \
				uint32_t window = WINDOW(keys, i, depth);                          \
                                                                                                   \
				batch.active[kept] = (uint8_t)i;                                   \
				kept += sst_step(trie, size, &batch, i, window, (bits) - depth);   \
			}                                                                          \
			active = kept;                                                             \
		}                                                                                  \
		sst_finish(trie, &batch, results, number);                                         \
	} while (0)

static inline void sst_size4(const struct gm_sst *trie, uint32_t size, const uint32_t *keys,
			     uint32_t *results, size_t count)
{
	while (count) {
		uint32_t some = count < SST_BATCH ? (uint32_t)count : SST_BATCH;

		SST_SOME(trie, size, keys, sst_window4, 32, results, some);
		keys += some;
		results += some;
		count -= some;
	}
}

static inline void sst_size6(const struct gm_sst *trie, uint32_t size, const struct gm_key *keys,
			     uint32_t *results, size_t count)
{
	while (count) {
		uint32_t some = count < SST_BATCH ? (uint32_t)count : SST_BATCH;

		SST_SOME(trie, size, keys, sst_window6, 128, results, some);
		keys += some;
		results += some;
		count -= some;
	}
}

static inline void sst_all4(const struct gm_sst *trie, const uint32_t *keys, uint32_t *results,
			    size_t count)
{
	if (trie->size == 7)
		sst_size4(trie, 7, keys, results, count);
	else
		sst_size4(trie, 15, keys, results, count);
}

static inline void sst_all6(const struct gm_sst *trie, const struct gm_key *keys, uint32_t *results,
			    size_t count)
{
	if (trie->size == 7)
		sst_size6(trie, 7, keys, results, count);
	else
		sst_size6(trie, 15, keys, results, count);
}

#endif
