/* SPDX-License-Identifier: Apache-2.0 */
#include "program/file.h"

#include "program/ask.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PIECE = 1 << 16 };

/*
 * What others wrote is read by who has no rights, and can open files to read them and nothing else:
 * instances are processes by then, and a compressor, which is a program, reads no file.
 */
static void give_up_rights(void)
{
	static int done;

	if (!done)
		sandbox_enter(SANDBOX_READS | SANDBOX_PRINTS);
	done = 1;
}

struct file file_read(const char *path)
{
	struct file file = { NULL, 0 };
	FILE *stream = fopen(path, "rb");
	size_t room = 0;
	size_t count = 1;

	if (!stream)
		fail(2, "%s: %s", path, strerror(errno));
	give_up_rights();
	while (count && !feof(stream) && !ferror(stream)) {
		if (room - file.size < PIECE) {
			uint8_t *grown = realloc(file.bytes, 2 * room + PIECE);

			if (!grown)
				fail(1, "%s: no memory", path);
			file.bytes = grown;
			room = 2 * room + PIECE;
		}
		count = fread(file.bytes + file.size, 1, room - file.size, stream);
		file.size += count;
	}
	if (ferror(stream))
		fail(2, "%s: %s", path, strerror(errno));
	fclose(stream);
	return file;
}

void file_free(struct file *file)
{
	free(file->bytes);
	file->bytes = NULL;
	file->size = 0;
}

const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

uint64_t file_peak_bytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_maxrss * 1024;
}

uint64_t file_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	long size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)64 << 20;
}
