// SPDX-License-Identifier: GPL-2.0-or-later
#include "cache.h"

#include <stdio.h>
#include <stdlib.h>

#define DIRTY 1ULL
#define UNCACHED_FIRST 0xa0000000U /* kseg1 of MIPS */
#define UNCACHED_LAST 0xbfffffffU

static bool power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static bool sound(unsigned long bytes, unsigned long ways, unsigned long line)
{
	return ways && ways <= MOST_WAYS && power_of_two(line) && line >= INSN_BYTES &&
	       line <= bytes && bytes % (ways * line) == 0 && power_of_two(bytes / (ways * line));
}

bool cache_read(struct cache *cache, const char *text, const char **end)
{
	unsigned long bytes, ways, line;
	int length = 0;

	if (sscanf(text, "%lu/%lu/%lu%n", &bytes, &ways, &line, &length) != 3)
		return false;
	*end = text + length;
	if (!sound(bytes, ways, line))
		return false;
	cache->sets = bytes / (ways * line);
	cache->ways = ways;
	cache->shift = (unsigned int)__builtin_ctzl(line);
	cache->line = calloc(cache->sets * ways, sizeof(*cache->line));
	return cache->line;
}

static bool pair_read(struct pair *pair, const char *text)
{
	const char *end = text;

	return cache_read(&pair->instruction, text, &end) && *end == ':' &&
	       cache_read(&pair->data, end + 1, &end) && !*end;
}

bool caches_add(struct caches *caches, const char *text)
{
	if (caches->pairs == MOST_PAIRS) {
		(void)fprintf(stderr, "counter: cache=%s: %d pairs of caches at most\n", text,
			      MOST_PAIRS);
		return false;
	}
	/* Counted before it is whole: what half of one holds is given back too. */
	if (pair_read(&caches->pair[caches->pairs++], text))
		return true;
	(void)fprintf(stderr, "counter: cache=%s: write BYTES/WAYS/LINE:BYTES/WAYS/LINE\n", text);
	return false;
}

void caches_free(struct caches *caches)
{
	while (caches->pairs) {
		struct pair *pair = &caches->pair[--caches->pairs];

		free(pair->instruction.line);
		free(pair->data.line);
		*pair = (struct pair){ 0 };
	}
}

bool cache_touch(struct cache *cache, uint64_t line, bool store, uint64_t *write_backs)
{
	uint64_t *set = cache->line + (line & (cache->sets - 1)) * cache->ways;
	uint64_t entry = (line + 1) << 1;
	uint64_t at = 0;
	bool hit;

	while (at < cache->ways - 1 && (set[at] & ~DIRTY) != entry)
		at++;
	hit = (set[at] & ~DIRTY) == entry;
	if (hit)
		entry = set[at];
	else if (set[at] & DIRTY)
		++*write_backs;
	for (; at; at--)
		set[at] = set[at - 1];
	set[0] = entry | (store ? DIRTY : 0);
	return hit;
}

static bool uncached(uint64_t address)
{
	return (uint32_t)address >= UNCACHED_FIRST && (uint32_t)address <= UNCACHED_LAST;
}

void caches_fetch(struct caches *caches, struct head *head, uint64_t address, uint64_t length)
{
	uint64_t none = 0;

	if (uncached(address))
		return;
	for (size_t at = 0; at < caches->pairs; at++) {
		struct cache *cache = &caches->pair[at].instruction;
		uint64_t last = (address + length * INSN_BYTES - 1) >> cache->shift;

		for (uint64_t line = address >> cache->shift; line <= last; line++)
			if (!cache_touch(cache, line, false, &none))
				head->events[at].fetch_misses++;
	}
}

void caches_access(struct caches *caches, struct head *head, uint64_t address, bool store)
{
	if (uncached(address)) {
		head->uncached++;
		return;
	}
	++*(store ? &head->stores : &head->loads);
	for (size_t at = 0; at < caches->pairs; at++) {
		struct cache *cache = &caches->pair[at].data;
		struct events *events = &head->events[at];

		if (!cache_touch(cache, address >> cache->shift, store, &events->write_backs))
			++*(store ? &events->store_misses : &events->load_misses);
	}
}
