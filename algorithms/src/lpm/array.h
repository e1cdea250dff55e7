/* SPDX-License-Identifier: Apache-2.0 */
/* An array that grows while a structure is built. */
#ifndef GM_LPM_ARRAY_H
#define GM_LPM_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * Makes room for `wanted` elements of `size` bytes in *array, which has room for *capacity.
 * Returns 0 if there is no memory; *array is as it was, then.
 */
static inline int gm_array_room(void **array, uint32_t *capacity, uint32_t wanted, size_t size)
{
	uint32_t doubled = *capacity ? *capacity : 64;
	void *grown;

	if (wanted <= *capacity)
		return 1;
	while (doubled < wanted && doubled <= UINT32_MAX / 2)
		doubled *= 2;
	if (doubled < wanted || doubled > SIZE_MAX / size)
		return 0;
	grown = realloc(*array, doubled * size);
	if (!grown)
		return 0;
	*array = grown;
	*capacity = doubled;
	return 1;
}

/* Gives back what the array has room for beyond `count` elements. */
static inline void gm_array_trim(void **array, uint32_t count, size_t size)
{
	void *trimmed = realloc(*array, count ? count * size : size);

	if (trimmed)
		*array = trimmed;
}

#endif
