// SPDX-License-Identifier: Apache-2.0
/* SipHash-2-4, byte by byte into words of little endian. */
#include "node/siphash.h"

#define WORD_BYTES 8
#define ROUNDS 2
#define LAST_ROUNDS 4

static uint64_t rotate(uint64_t value, unsigned int bits)
{
	return value << bits | value >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
	for (int i = 0; i < rounds; i++) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static uint64_t load(const uint8_t *bytes)
{
	uint64_t word = 0;

	for (int i = WORD_BYTES - 1; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

void siphash_begin(struct siphash *hash, const uint8_t key[SIPHASH_KEY_BYTES])
{
	uint64_t low = load(key), high = load(key + WORD_BYTES);

	*hash = (struct siphash){ .v = { low ^ 0x736f6d6570736575, high ^ 0x646f72616e646f6d,
					 low ^ 0x6c7967656e657261, high ^ 0x7465646279746573 } };
}

static void take(struct siphash *hash, uint64_t word)
{
	hash->v[3] ^= word;
	mix(hash->v, ROUNDS);
	hash->v[0] ^= word;
}

void siphash_add(struct siphash *hash, const void *bytes, size_t length)
{
	for (const uint8_t *at = bytes; length; at++, length--) {
		hash->word |= (uint64_t)*at << 8 * (hash->length++ % WORD_BYTES);
		if (hash->length % WORD_BYTES)
			continue;
		take(hash, hash->word);
		hash->word = 0;
	}
}

uint64_t siphash_end(struct siphash *hash)
{
	take(hash, hash->word | hash->length << 56);
	hash->v[2] ^= 0xff;
	mix(hash->v, LAST_ROUNDS);
	return hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
}
