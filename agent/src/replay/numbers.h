// SPDX-License-Identifier: Apache-2.0
/* Numbers things in the order of their first appearance: a hash table of keys of one size. */
#ifndef GM_NUMBERS_H
#define GM_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct numbers {
	size_t key_bytes;
	uint32_t count; /* of different keys */
	uint32_t room; /* slots, a power of two */
	uint8_t *key; /* of number i: at i * key_bytes */
	uint32_t *slot; /* number + 1; 0: free */
};

void numbers_open(struct numbers *numbers, size_t key_bytes);
void numbers_close(struct numbers *numbers);

/* The number of a key. 1: it is new; 0: it was there; -ENOMEM. */
int numbers_of(struct numbers *numbers, const void *key, uint32_t *number);

#endif
