/* SPDX-License-Identifier: Apache-2.0 */
#include "treebitmap/pool.h"

#include "lpm/array.h"

#include <string.h>

static unsigned char *element(struct gm_treebitmap_pool *pool, uint32_t number)
{
	return (unsigned char *)pool->elements + number * pool->size;
}

int tbm_pool_take(struct gm_treebitmap_pool *pool, uint32_t length, uint32_t *start)
{
	struct gm_treebitmap_free *list = &pool->free[length];

	if (length && list->count) {
		*start = list->starts[--list->count];
	} else {
		if (!gm_array_room(&pool->elements, &pool->capacity, pool->count + length,
				   pool->size))
			return GM_LPM_NO_MEMORY;
		*start = pool->count;
		pool->count += length;
	}
	pool->live += length;
	return GM_LPM_OK;
}

static int give(struct gm_treebitmap_pool *pool, uint32_t start, uint32_t length)
{
	struct gm_treebitmap_free *list = &pool->free[length];
	void *starts = list->starts;

	if (!length)
		return GM_LPM_OK;
	if (!gm_array_room(&starts, &list->capacity, list->count + 1, sizeof(*list->starts)))
		return GM_LPM_NO_MEMORY;
	list->starts = starts;
	list->starts[list->count++] = start;
	pool->live -= length;
	return GM_LPM_OK;
}

int tbm_pool_open(struct gm_treebitmap_pool *pool, uint32_t *start, uint32_t length, uint32_t place)
{
	uint32_t old = *start;
	uint32_t moved;

	if (tbm_pool_take(pool, length + 1, &moved))
		return GM_LPM_NO_MEMORY;
	memcpy(element(pool, moved), element(pool, old), place * pool->size);
	memset(element(pool, moved + place), 0, pool->size);
	memcpy(element(pool, moved + place + 1), element(pool, old + place),
	       (length - place) * pool->size);
	*start = moved;
	return give(pool, old, length);
}

int tbm_pool_close(struct gm_treebitmap_pool *pool, uint32_t *start, uint32_t length,
		   uint32_t place)
{
	uint32_t old = *start;
	uint32_t moved;

	if (tbm_pool_take(pool, length - 1, &moved))
		return GM_LPM_NO_MEMORY;
	memcpy(element(pool, moved), element(pool, old), place * pool->size);
	memcpy(element(pool, moved + place), element(pool, old + place + 1),
	       (length - 1 - place) * pool->size);
	*start = moved;
	return give(pool, old, length);
}

size_t tbm_pool_peak(const struct gm_treebitmap_pool *pool)
{
	return pool->capacity * pool->size;
}

void tbm_pool_free(struct gm_treebitmap_pool *pool)
{
	for (size_t i = 0; i < sizeof(pool->free) / sizeof(pool->free[0]); i++)
		free(pool->free[i].starts);
	free(pool->elements);
}
