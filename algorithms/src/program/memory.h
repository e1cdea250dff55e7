/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory there is, and what is left out because there is less than it needs. */
#ifndef GM_PROGRAM_MEMORY_H
#define GM_PROGRAM_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that the kernel could give without swapping; 2^63 where it does not say. */
uint64_t memory_available(void);

/* Why `need` bytes are not taken, or NULL: it must be at most half of what there is. */
const char *memory_refused(uint64_t need);

/* Memory for `count` things of `size` bytes, all pages of it written; ends the program with 1. */
void *memory_new(size_t count, size_t size);

#endif
