// SPDX-License-Identifier: Apache-2.0
/* A whole file as memory that is only read. */
#ifndef GM_FILE_H
#define GM_FILE_H

#include "talk/fault.h"

#include <stddef.h>
#include <stdint.h>

struct file {
	const uint8_t *bytes;
	size_t size;
};

/* 0, or -errno with the fault filled on the key "trace". */
int file_open(struct file *file, const char *path, struct fault *fault);
void file_close(struct file *file);

#endif
