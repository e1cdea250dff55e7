// SPDX-License-Identifier: Apache-2.0
/* How much memory this process holds. */
#include "kernel/resident.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int resident_open(void)
{
	return open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
}

/* The second number is of resident pages. */
uint64_t resident_bytes(int fd)
{
	char text[128];
	ssize_t count = fd < 0 ? -1 : pread(fd, text, sizeof(text) - 1, 0);
	char *resident;

	if (count <= 0)
		return 0;
	text[count] = '\0';
	strtoull(text, &resident, 10);
	return strtoull(resident, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}
