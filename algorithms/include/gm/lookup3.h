/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lookup3: a hash of 32 bits, of bytes or words, with a seed. A word is read with its lowest byte
 * first whatever the processor's byte order is, so a hash is the same everywhere.
 *
 * Source: B. Jenkins, "lookup3.c" (2006): hashlittle, hashlittle2 and hashword.
 */
#ifndef GM_LOOKUP3_H
#define GM_LOOKUP3_H

#include <stddef.h>
#include <stdint.h>

/* The hash of `length` bytes at any address. */
uint32_t gm_lookup3(const uint8_t *bytes, size_t length, uint32_t seed);

/* Two hashes for the price of one: *first and *second are the seeds before, the hashes after. */
void gm_lookup3_pair(const uint8_t *bytes, size_t length, uint32_t *first, uint32_t *second);

/* The hash of `count` words: that of their 4 * count bytes, each word's lowest byte first. */
uint32_t gm_lookup3_words(const uint32_t *words, size_t count, uint32_t seed);

static inline uint32_t gm_lookup3_rotated(uint32_t x, int by)
{
	return (x << by) | (x >> (32 - by));
}

/* The last round: every bit of a, b and c changes about half of c's. */
#define GM_LOOKUP3_FINAL(a, b, c)                                                                  \
	do {                                                                                       \
		(c) = ((c) ^ (b)) - gm_lookup3_rotated(b, 14);                                     \
		(a) = ((a) ^ (c)) - gm_lookup3_rotated(c, 11);                                     \
		(b) = ((b) ^ (a)) - gm_lookup3_rotated(a, 25);                                     \
		(c) = ((c) ^ (b)) - gm_lookup3_rotated(b, 16);                                     \
		(a) = ((a) ^ (c)) - gm_lookup3_rotated(c, 4);                                      \
		(b) = ((b) ^ (a)) - gm_lookup3_rotated(a, 14);                                     \
		(c) = ((c) ^ (b)) - gm_lookup3_rotated(b, 24);                                     \
	} while (0)

/* The hash of a key of four bytes: one last round, and nothing to read. */
static inline uint32_t gm_lookup3_u32(uint32_t key, uint32_t seed)
{
	uint32_t c = UINT32_C(0xdeadbeef) + 4 + seed;
	uint32_t b = c;
	uint32_t a = c + key;

	GM_LOOKUP3_FINAL(a, b, c);
	return c;
}

/* Both hashes of a key of four bytes, with both seeds 0. */
static inline uint32_t gm_lookup3_u32_pair(uint32_t key, uint32_t *second)
{
	uint32_t c = UINT32_C(0xdeadbeef) + 4;
	uint32_t b = c;
	uint32_t a = c + key;

	GM_LOOKUP3_FINAL(a, b, c);
	*second = b;
	return c;
}

#endif
