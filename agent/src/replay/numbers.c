// SPDX-License-Identifier: Apache-2.0
/* Open addressing with linear steps, never more than half full; FNV-1a. */
#include "replay/numbers.h"
#include "bpf/wraps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64u
#define ROOM_MOST (1u << 31)

void numbers_open(struct numbers *numbers, size_t key_bytes)
{
	*numbers = (struct numbers){ .key_bytes = key_bytes };
}

void numbers_close(struct numbers *numbers)
{
	free(numbers->key);
	free(numbers->slot);
	*numbers = (struct numbers){ 0 };
}

WRAPS static uint32_t hash(const uint8_t *key, size_t bytes)
{
	uint32_t value = 2166136261u;

	for (size_t i = 0; i < bytes; i++)
		value = (value ^ key[i]) * 16777619u;
	return value ^ value >> 15;
}

static const uint8_t *key_of(const struct numbers *numbers, uint32_t number)
{
	return numbers->key + (size_t)number * numbers->key_bytes;
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t *find(const struct numbers *numbers, const uint8_t *key)
{
	uint32_t at = hash(key, numbers->key_bytes) & (numbers->room - 1);

	while (numbers->slot[at] &&
	       memcmp(key_of(numbers, numbers->slot[at] - 1), key, numbers->key_bytes) != 0)
		at = (at + 1) & (numbers->room - 1);
	return &numbers->slot[at];
}

static int grow(struct numbers *numbers)
{
	uint32_t room = numbers->room ? 2 * numbers->room : ROOM_LEAST;
	uint32_t *slot;
	uint8_t *key;

	if (numbers->room >= ROOM_MOST)
		return -ENOMEM;
	key = realloc(numbers->key, room / 2 * numbers->key_bytes);
	if (!key)
		return -ENOMEM;
	numbers->key = key;
	slot = calloc(room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(numbers->slot);
	numbers->slot = slot;
	numbers->room = room;
	for (uint32_t i = 0; i < numbers->count; i++)
		*find(numbers, key_of(numbers, i)) = i + 1;
	return 0;
}

int numbers_of(struct numbers *numbers, const void *key, uint32_t *number)
{
	uint32_t *slot;

	if (numbers->count >= numbers->room / 2) {
		int error = grow(numbers);

		if (error)
			return error;
	}
	slot = find(numbers, key);
	if (*slot) {
		*number = *slot - 1;
		return 0;
	}
	memcpy(numbers->key + (size_t)numbers->count * numbers->key_bytes, key, numbers->key_bytes);
	*number = numbers->count++;
	*slot = *number + 1;
	return 1;
}
