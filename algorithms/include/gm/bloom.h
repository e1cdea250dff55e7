/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Bloom filter: a set of keys in few bits, which never denies a member, and takes others for
 * members at a rate that its size sets: about 2.2 % at 8 bits a key and 6 hashes.
 *
 * The hashes are lookup3 with the seeds 0, 1, ..., and an index is a hash's low bits. A key is any
 * bytes; a key of four bytes, such as an address, has a faster form, with the same bits set: its
 * bytes are the number's, the lowest first.
 *
 * Source: B. Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970); two hashes
 * for all: A. Kirsch, M. Mitzenmacher, "Less hashing, same performance" (2006).
 */
#ifndef GM_BLOOM_H
#define GM_BLOOM_H

#include <stddef.h>
#include <stdint.h>

struct gm_bloom {
	uint8_t *bits; /* bit i is bit i % 8 of byte i / 8 */
	uint32_t mask; /* the number of bits less one */
	uint32_t hashes; /* a key sets so many bits, or fewer where two fall together */
};

/*
 * An empty filter of `bits` bits, a power of two of at least 8, with 1 to 32 hashes.
 * Returns GM_OK, GM_BAD_ARGUMENT or GM_NO_MEMORY.
 */
int gm_bloom_init(struct gm_bloom *bloom, uint32_t bits, uint32_t hashes);

void gm_bloom_free(struct gm_bloom *bloom);

/* Takes all keys out. */
void gm_bloom_clear(struct gm_bloom *bloom);

/* How many bytes the bits take. */
size_t gm_bloom_bytes(const struct gm_bloom *bloom);

void gm_bloom_add(struct gm_bloom *bloom, const uint8_t *key, size_t length);

/* 1 for a member, and for few others; 0 for all others. */
int gm_bloom_find(const struct gm_bloom *bloom, const uint8_t *key, size_t length);

void gm_bloom_add_u32(struct gm_bloom *bloom, uint32_t key);
int gm_bloom_find_u32(const struct gm_bloom *bloom, uint32_t key);

/* The same for `count` keys, in order; each answer is a byte of `answers`. */
void gm_bloom_add_many(struct gm_bloom *bloom, const uint32_t *keys, size_t count);
void gm_bloom_find_many(const struct gm_bloom *bloom, const uint32_t *keys, size_t count,
			uint8_t *answers);

/*
 * A filter whose indexes are h1, h1 + h2, h1 + 2 * h2, ..., of the two hashes of one lookup3.
 * Use these alone on a filter, or none of them.
 */
void gm_bloom_add_many_2h(struct gm_bloom *bloom, const uint32_t *keys, size_t count);
void gm_bloom_find_many_2h(const struct gm_bloom *bloom, const uint32_t *keys, size_t count,
			   uint8_t *answers);

#endif
