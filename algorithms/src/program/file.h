/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a command reads as a whole, and the memory that it may use. */
#ifndef GM_PROGRAM_FILE_H
#define GM_PROGRAM_FILE_H

#include <stddef.h>
#include <stdint.h>

struct file {
	uint8_t *bytes;
	size_t size;
};

/* Reads a file; ends the program with code 2 if it cannot be read. */
struct file file_read(const char *path);
void file_free(struct file *file);

/* A path's last part. */
const char *file_base(const char *path);

/* The most bytes that the process has had in memory. */
uint64_t file_peak_bytes(void);

/* The bytes of memory that this machine has. */
uint64_t file_memory(void);

#endif
