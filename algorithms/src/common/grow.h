/* SPDX-License-Identifier: Apache-2.0 */
/* An array that grows: doubled, with 32-bit counts, so that pools are the same on every processor. */
#ifndef GM_COMMON_GROW_H
#define GM_COMMON_GROW_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * `array` with room for `need` items of `size` bytes; *room is what it has, in items. Returns NULL
 * without memory, and the old array stays as it was.
 */
static inline void *gm_grow(void *array, uint32_t *room, uint32_t need, size_t size)
{
	uint32_t more = *room < 8 ? 16 : *room;
	void *grown;

	if (need <= *room && array)
		return array;
	more = more > UINT32_MAX / 2 ? UINT32_MAX : 2 * more;
	more = more < need ? need : more;
	if (more > SIZE_MAX / size)
		return NULL;
	grown = realloc(array, more * size);
	if (grown)
		*room = more;
	return grown;
}

#endif
