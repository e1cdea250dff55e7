// SPDX-License-Identifier: Apache-2.0
/* Mapping a file. */
#include "replay/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int refuse(struct fault *fault, const char *path, const char *reason)
{
	return fault_set(fault, -EINVAL, "trace", "give a pcap or pcapng file", "%.150s: %s", path,
			 reason);
}

static int map(struct file *file, int fd, const char *path, struct fault *fault)
{
	struct stat about;
	void *memory;

	if (fstat(fd, &about) < 0)
		return refuse(fault, path, strerror(errno));
	if (!S_ISREG(about.st_mode))
		return refuse(fault, path, "it is no file");
	if (!about.st_size)
		return refuse(fault, path, "it is empty");
	if ((uint64_t)about.st_size > SIZE_MAX)
		return refuse(fault, path, "it is larger than this machine's memory can be");
	memory = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED)
		return refuse(fault, path, strerror(errno));
	*file = (struct file){ memory, (size_t)about.st_size };
	return 0;
}

int file_open(struct file *file, const char *path, struct fault *fault)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int error;

	if (fd < 0)
		return refuse(fault, path, strerror(errno));
	error = map(file, fd, path, fault);
	close(fd);
	return error;
}

void file_close(struct file *file)
{
	if (file->bytes)
		munmap((void *)file->bytes, file->size);
	*file = (struct file){ 0 };
}
