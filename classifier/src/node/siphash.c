// SPDX-License-Identifier: Apache-2.0
/* Bytes of any number put into the words of bpf/siphash.h, which are of little endian. */
#include "node/siphash.h"

#define WORD_BYTES 8

static uint64_t load(const uint8_t *bytes)
{
	uint64_t word = 0;

	for (int i = WORD_BYTES - 1; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

void siphash_begin(struct siphash *hash, const uint8_t key[SIPHASH_KEY_BYTES])
{
	const struct siphash_key words = { .k0 = load(key), .k1 = load(key + WORD_BYTES) };

	*hash = (struct siphash){ 0 };
	siphash_first(hash->v, &words);
}

void siphash_add(struct siphash *hash, const void *bytes, size_t length)
{
	for (const uint8_t *at = bytes; length; at++, length--) {
		hash->word |= (uint64_t)*at << 8 * (hash->length++ % WORD_BYTES);
		if (hash->length % WORD_BYTES)
			continue;
		siphash_word(hash->v, hash->word);
		hash->word = 0;
	}
}

uint64_t siphash_end(struct siphash *hash)
{
	return siphash_last(hash->v, hash->word | hash->length << 56);
}
