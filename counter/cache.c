// SPDX-License-Identifier: GPL-2.0-or-later
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>

#define INSN_BYTES 4
#define DIRTY 1ULL
#define UNCACHED_FIRST 0xa0000000U /* kseg1 of MIPS */
#define UNCACHED_LAST 0xbfffffffU

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static bool cache_read(struct cache *cache, const char *text, const char **end)
{
	unsigned long bytes, ways, line;
	int length = 0;

	if (sscanf(text, "%lu/%lu/%lu%n", &bytes, &ways, &line, &length) != 3)
		return false;
	*end = text + length;
	if (!ways || ways > MOST_WAYS || !power_of_two(line) || line < INSN_BYTES ||
	    !power_of_two(bytes / (ways * line)) || bytes % (ways * line))
		return false;
	cache->sets = bytes / (ways * line);
	cache->ways = ways;
	cache->line_bytes = line;
	cache->line = calloc(cache->sets * ways, sizeof(*cache->line));
	return cache->line;
}

bool caches_read(struct caches *caches, const char *text)
{
	const char *end = text;

	if (cache_read(&caches->instruction, text, &end) && *end == ':' &&
	    cache_read(&caches->data, end + 1, &end) && !*end)
		return true;
	(void)fprintf(stderr, "counter: cache=%s: write BYTES/WAYS/LINE:BYTES/WAYS/LINE\n", text);
	return false;
}

void caches_count(struct caches *caches, struct head *head)
{
	caches->head = head;
}

/*
 * Look a line up and make it the newest. Kept as (line + 1) << 1 | dirty, so that nothing is 0.
 * Returns whether it was there; a dirty line that had to go is counted.
 */
static bool touch(struct cache *cache, uint64_t line, bool store, uint64_t *write_backs)
{
	uint64_t *set = cache->line + (line % cache->sets) * cache->ways;
	uint64_t mine = (line + 1) << 1;
	uint64_t at = 0;
	bool found;

	while (at < cache->ways - 1 && (set[at] & ~DIRTY) != mine)
		at++;
	found = (set[at] & ~DIRTY) == mine;
	if (found)
		mine = set[at];
	else if (set[at] & DIRTY)
		++*write_backs;
	for (; at; at--)
		set[at] = set[at - 1];
	set[0] = mine | (store ? DIRTY : 0);
	return found;
}

void caches_fetch(struct caches *caches, uint64_t address, uint64_t length)
{
	struct cache *cache = &caches->instruction;
	uint64_t line = address / cache->line_bytes;
	uint64_t last = (address + length * INSN_BYTES - 1) / cache->line_bytes;
	uint64_t none = 0;

	for (; line <= last; line++)
		if (!touch(cache, line, false, &none))
			caches->head->fetch_misses++;
}

void caches_access(struct caches *caches, uint64_t address, bool store)
{
	struct head *head = caches->head;
	struct cache *cache = &caches->data;

	if ((uint32_t)address >= UNCACHED_FIRST && (uint32_t)address <= UNCACHED_LAST) {
		head->uncached++;
		return;
	}
	++*(store ? &head->stores : &head->loads);
	if (touch(cache, address / cache->line_bytes, store, &head->write_backs))
		return;
	++*(store ? &head->store_misses : &head->load_misses);
}
