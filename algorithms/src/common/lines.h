/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory that begins on a cache line, so that a block of 64 bytes lies on one line. C99 has no
 * aligned allocation: the memory is taken one line larger, and the caller keeps both addresses.
 */
#ifndef GM_COMMON_LINES_H
#define GM_COMMON_LINES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GM_LINE = 64 };

/*
 * `count` times `size` zeroed bytes on a line; *memory is what free() takes. NULL where there is no
 * memory.
 * Every page is written, so that a measurement does not read the one page of zeros that the kernel
 * lends for memory that nobody has written.
 */
static inline void *gm_lines(size_t count, size_t size, void **memory)
{
	unsigned char *start = NULL;

	if (count <= (SIZE_MAX - GM_LINE) / size)
		start = malloc(count * size + GM_LINE);
	*memory = start;
	if (!start)
		return NULL;
	start += GM_LINE - (uintptr_t)start % GM_LINE;
	memset(start, 0, count * size);
	return start;
}

#endif
