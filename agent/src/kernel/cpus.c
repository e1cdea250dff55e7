// SPDX-License-Identifier: Apache-2.0
/* Lists of CPUs (Documentation/admin-guide/cputopology.rst). */
#include "kernel/cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define POSSIBLE "/sys/devices/system/cpu/possible"
#define LIST_BYTES 4096 /* the kernel gives a page at most */
#define CPU_MOST 65535 /* far more than any kernel has (NR_CPUS) */

/* Reads a number and moves behind it; -1: there is none. */
static long take_number(const char **at)
{
	char *end;
	long number = **at >= '0' && **at <= '9' ? strtol(*at, &end, 10) : -1;

	if (number < 0 || number > CPU_MOST)
		return -1;
	*at = end;
	return number;
}

unsigned int cpus_listed(const char *list)
{
	long highest = -1;

	for (;; list++) {
		long first = take_number(&list);
		long last = first;

		if (*list == '-') {
			list++;
			last = take_number(&list);
		}
		if (first < 0 || last < first)
			return 0;
		highest = last > highest ? last : highest;
		if (*list != ',')
			break;
	}
	return *list && *list != '\n' ? 0 : (unsigned int)highest + 1;
}

/* The file in one piece. 0 or -errno. */
static int read_list(char list[LIST_BYTES])
{
	int fd = open(POSSIBLE, O_RDONLY | O_CLOEXEC);
	ssize_t bytes;

	if (fd < 0)
		return -errno;
	bytes = read(fd, list, LIST_BYTES - 1);
	close(fd);
	if (bytes < 0)
		return -EIO;
	list[bytes] = '\0';
	return 0;
}

int cpus_possible(unsigned int *count, struct fault *fault)
{
	char list[LIST_BYTES] = "";
	int error = read_list(list);

	*count = cpus_listed(list);
	if (*count)
		return 0;
	error = error ? error : -ENODATA;
	return fault_set(fault, error, NULL, "mount sysfs at /sys",
			 "which CPUs there may be: " POSSIBLE ": %s", strerror(-error));
}
