/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blocked counting Bloom filter: the counters of a key, five of 4 bits, lie in one block of 64
 * bytes, so that an operation reads and writes one cache line. A counter that reached 15 stays
 * there, as in gm/counting_bloom.h.
 *
 * Source: the blocks are those of F. Putze, P. Sanders, J. Singler, "Cache-, hash- and
 * space-efficient Bloom filters" (2007); the counters those of L. Fan and others (2000).
 */
#ifndef GM_BLOCKED_COUNTING_BLOOM_H
#define GM_BLOCKED_COUNTING_BLOOM_H

#include <stddef.h>
#include <stdint.h>

enum { GM_BLOCKED_COUNTING_BLOOM_WORDS = 16 };

struct gm_blocked_counting_bloom {
	uint32_t (*blocks)[GM_BLOCKED_COUNTING_BLOOM_WORDS]; /* eight counters a word */
	void *memory; /* what the blocks lie in */
	uint32_t count; /* of blocks */
};

/*
 * An empty filter of `blocks` blocks, 1 to 2^29; gm_blocked_counting_bloom_blocks() says how many.
 * Returns GM_OK, GM_BAD_ARGUMENT or GM_NO_MEMORY.
 */
int gm_blocked_counting_bloom_init(struct gm_blocked_counting_bloom *bloom, uint32_t blocks);

/* The blocks for `keys` keys at 10.7 counters each: one for 12 keys, for 1 % false positives. */
uint32_t gm_blocked_counting_bloom_blocks(uint32_t keys);

void gm_blocked_counting_bloom_free(struct gm_blocked_counting_bloom *bloom);
void gm_blocked_counting_bloom_clear(struct gm_blocked_counting_bloom *bloom);
size_t gm_blocked_counting_bloom_bytes(const struct gm_blocked_counting_bloom *bloom);

void gm_blocked_counting_bloom_add(struct gm_blocked_counting_bloom *bloom, uint64_t key);

/* Takes one addition of a key back. A key that was never added must not be removed. */
void gm_blocked_counting_bloom_remove(struct gm_blocked_counting_bloom *bloom, uint64_t key);

/* 1 for a member, and for few others; 0 for all others. */
int gm_blocked_counting_bloom_find(const struct gm_blocked_counting_bloom *bloom, uint64_t key);

/* The same for `count` keys, in order; each answer is a byte of `answers`. */
void gm_blocked_counting_bloom_add_many(struct gm_blocked_counting_bloom *bloom,
					const uint64_t *keys, size_t count);
void gm_blocked_counting_bloom_remove_many(struct gm_blocked_counting_bloom *bloom,
					   const uint64_t *keys, size_t count);
void gm_blocked_counting_bloom_find_many(const struct gm_blocked_counting_bloom *bloom,
					 const uint64_t *keys, size_t count, uint8_t *answers);

#endif
