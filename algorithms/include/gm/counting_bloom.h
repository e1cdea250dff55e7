/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A counting Bloom filter: a Bloom filter from which a key can be taken out, because each place is
 * a counter of 4 bits. A counter that reached 15 stays there: it no longer knows how many keys it
 * stands for, so that members are never denied, and what it stands for is never taken out.
 *
 * Hashes and indexes are those of gm/bloom.h.
 *
 * Source: L. Fan, P. Cao, J. Almeida, A. Broder, "Summary cache" (2000).
 */
#ifndef GM_COUNTING_BLOOM_H
#define GM_COUNTING_BLOOM_H

#include <stddef.h>
#include <stdint.h>

struct gm_counting_bloom {
	uint8_t *counters; /* two a byte, the even one in the low half */
	uint32_t mask; /* the number of counters less one */
	uint32_t hashes;
};

/*
 * An empty filter of `counters` counters, a power of two of at least 2, with 1 to 32 hashes.
 * Returns GM_OK, GM_BAD_ARGUMENT or GM_NO_MEMORY.
 */
int gm_counting_bloom_init(struct gm_counting_bloom *bloom, uint32_t counters, uint32_t hashes);

void gm_counting_bloom_free(struct gm_counting_bloom *bloom);
void gm_counting_bloom_clear(struct gm_counting_bloom *bloom);
size_t gm_counting_bloom_bytes(const struct gm_counting_bloom *bloom);

void gm_counting_bloom_add(struct gm_counting_bloom *bloom, const uint8_t *key, size_t length);

/* Takes one addition of a key back. A key that was never added must not be removed. */
void gm_counting_bloom_remove(struct gm_counting_bloom *bloom, const uint8_t *key, size_t length);

int gm_counting_bloom_find(const struct gm_counting_bloom *bloom, const uint8_t *key,
			   size_t length);

/* The same for `count` keys of four bytes, in order; each answer is a byte of `answers`. */
void gm_counting_bloom_add_many(struct gm_counting_bloom *bloom, const uint32_t *keys,
				size_t count);
void gm_counting_bloom_remove_many(struct gm_counting_bloom *bloom, const uint32_t *keys,
				   size_t count);
void gm_counting_bloom_find_many(const struct gm_counting_bloom *bloom, const uint32_t *keys,
				 size_t count, uint8_t *answers);

#endif
