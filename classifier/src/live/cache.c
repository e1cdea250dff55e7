// SPDX-License-Identifier: Apache-2.0
/* Entries in groups of eight: a head, the key, the value. */
#include "live/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PLACES 8
#define ALIGNMENT 8

struct head {
	uint64_t used_us, taken;
};

static size_t aligned(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

int cache_open(struct cache *cache, size_t entries, size_t key_bytes, size_t value_bytes,
	       const uint8_t secret[SIPHASH_KEY_BYTES])
{
	*cache = (struct cache){ .key_bytes = key_bytes, .value_bytes = value_bytes };
	cache->entry_bytes = sizeof(struct head) + aligned(key_bytes) + aligned(value_bytes);
	cache->groups = (entries + PLACES - 1) / PLACES;
	cache->memory = calloc(cache->groups, PLACES * cache->entry_bytes);
	memcpy(cache->secret, secret, sizeof(cache->secret));
	return cache->memory ? 0 : -ENOMEM;
}

void cache_close(struct cache *cache)
{
	free(cache->memory);
	cache->memory = NULL;
}

static struct head *head_at(const struct cache *cache, size_t place)
{
	return (struct head *)(void *)(cache->memory + place * cache->entry_bytes);
}

static uint8_t *key_of(struct head *head)
{
	return (uint8_t *)(head + 1);
}

static uint8_t *value_of(const struct cache *cache, struct head *head)
{
	return key_of(head) + aligned(cache->key_bytes);
}

/* The first place of a key's group. */
static size_t group_of(const struct cache *cache, const void *key)
{
	struct siphash hash;

	siphash_begin(&hash, cache->secret);
	siphash_add(&hash, key, cache->key_bytes);
	return (size_t)(siphash_end(&hash) % cache->groups) * PLACES;
}

static struct head *find(const struct cache *cache, const void *key)
{
	size_t first = group_of(cache, key);

	for (size_t i = 0; i < PLACES; i++) {
		struct head *head = head_at(cache, first + i);

		if (head->taken && memcmp(key_of(head), key, cache->key_bytes) == 0)
			return head;
	}
	return NULL;
}

void *cache_find(const struct cache *cache, const void *key, uint64_t now_us)
{
	struct head *head = find(cache, key);

	if (!head)
		return NULL;
	head->used_us = now_us;
	return value_of(cache, head);
}

void *cache_make(const struct cache *cache, const void *key, uint64_t now_us, uint64_t idle_us)
{
	size_t first = group_of(cache, key);
	struct head *oldest = head_at(cache, first);

	for (size_t i = 1; i < PLACES && oldest->taken; i++) {
		struct head *head = head_at(cache, first + i);

		if (!head->taken || head->used_us < oldest->used_us)
			oldest = head;
	}
	if (oldest->taken && now_us - oldest->used_us < idle_us)
		return NULL;
	oldest->taken = 1;
	oldest->used_us = now_us;
	memcpy(key_of(oldest), key, cache->key_bytes);
	memset(value_of(cache, oldest), 0, cache->value_bytes);
	return value_of(cache, oldest);
}

void cache_drop(const struct cache *cache, const void *key)
{
	struct head *head = find(cache, key);

	if (head)
		head->taken = 0;
}

size_t cache_places(const struct cache *cache)
{
	return cache->groups * PLACES;
}

void *cache_at(const struct cache *cache, size_t place, const void **key)
{
	struct head *head = head_at(cache, place);

	if (!head->taken)
		return NULL;
	*key = key_of(head);
	return value_of(cache, head);
}
