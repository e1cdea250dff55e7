// SPDX-License-Identifier: Apache-2.0
/* A capture's files: opened, rotated, and never left with half a record. */
#include "capture/file.h"
#include "bpf/capture.h"
#include "capture/format.h"
#include "time/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESCRIPTOR "/dev/fd/"
#define PATH_BYTES 4096
#define RECORD_BYTES (256u << 10) /* room for records of pcap, written at once */

static uint32_t block_bytes(const uint8_t *block)
{
	uint32_t bytes;

	memcpy(&bytes, block + offsetof(struct capture_block, bytes), sizeof(bytes));
	return bytes;
}

static uint64_t count_blocks(const uint8_t *blocks, size_t bytes)
{
	uint64_t count = 0;

	for (size_t at = 0; at < bytes; at += block_bytes(blocks + at))
		count++;
	return count;
}

/* capture.pcapng is followed by capture-2.pcapng. */
static void path_of(const struct capture_file *file, uint64_t number, char path[PATH_BYTES])
{
	const char *slash = strrchr(file->path, '/');
	const char *dot = strrchr(slash ? slash : file->path, '.');
	int stem = dot ? (int)(dot - file->path) : (int)strlen(file->path);

	if (number <= 1)
		snprintf(path, PATH_BYTES, "%s", file->path);
	else
		snprintf(path, PATH_BYTES, "%.*s-%llu%s", stem, file->path,
			 (unsigned long long)number, dot ? dot : "");
}

/* Takes back what was written of something: the rest of the file stays readable. */
static void take_back(const struct capture_file *file)
{
	off_t end = (off_t)(file->base_bytes + file->file_bytes);

	if (file->is_regular && ftruncate(file->fd, end) == 0)
		lseek(file->fd, end, SEEK_SET);
}

/* All of it or nothing; a pipe that took a part has lost its way. Returns 0 or -errno. */
static int write_whole(struct capture_file *file, const uint8_t *data, size_t bytes)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t count = write(file->fd, data + done, bytes - done);
		int error = count ? -errno : -ENOSPC;

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0) {
			take_back(file);
			return error;
		}
		done += (size_t)count;
	}
	file->file_bytes += bytes;
	file->bytes += bytes;
	return 0;
}

/* A descriptor that we were started with is not opened anew: a socket could not be. */
static int open_path(const char *path)
{
	size_t before = strlen(DESCRIPTOR);
	char *end = NULL;
	long fd = strncmp(path, DESCRIPTOR, before) ? -1 : strtol(path + before, &end, 10);

	if (fd >= 0 && fd <= INT_MAX && end > path + before && !*end)
		return fcntl((int)fd, F_DUPFD_CLOEXEC, 0);
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

/* Where our part of a file begins: of a descriptor, there may be others' before it. */
static uint64_t base_of(int fd, const struct stat *status)
{
	off_t at = fcntl(fd, F_GETFL) & O_APPEND ? status->st_size : lseek(fd, 0, SEEK_CUR);

	return at > 0 ? (uint64_t)at : 0;
}

static int open_next(struct capture_file *file)
{
	uint8_t header[FORMAT_HEADER_MOST];
	char path[PATH_BYTES];
	struct stat status;

	path_of(file, file->number + 1, path);
	file->fd = open_path(path);
	if (file->fd < 0)
		return -errno;
	file->is_regular = !fstat(file->fd, &status) && S_ISREG(status.st_mode);
	file->base_bytes = file->is_regular ? base_of(file->fd, &status) : 0;
	file->number++;
	file->file_bytes = 0;
	file->opened_ns = clock_now();
	return write_whole(file, header, format_header(&file->kind, header));
}

int capture_file_open(struct capture_file *file, struct fault *fault)
{
	int error;

	file->fd = -1;
	if (file->kind.format == CAPTURE_PCAP) {
		file->record = malloc(RECORD_BYTES);
		if (!file->record)
			return fault_system(fault, -ENOMEM, "file", "room for records");
	}
	error = open_next(file);
	return error ? fault_system(fault, error, "file", file->path) : 0;
}

static void forget_oldest(struct capture_file *file)
{
	char path[PATH_BYTES];

	if (!file->keep || file->number <= file->keep)
		return;
	path_of(file, file->number - file->keep, path);
	if (unlink(path) < 0 && errno != ENOENT)
		file->error = -errno;
}

/* Closes the next file, whose header was not written. */
static void give_up(const struct capture_file *file)
{
	char path[PATH_BYTES];

	if (file->fd < 0)
		return;
	close(file->fd);
	path_of(file, file->number, path);
	if (file->is_regular)
		unlink(path);
}

/* Where the next file cannot be opened the capture goes on in this one: no packet is lost. */
static void rotate(struct capture_file *file)
{
	struct capture_file before = *file;
	int full = file->rotate_bytes && file->file_bytes >= file->rotate_bytes;
	int old = file->rotate_ns && clock_now() - file->opened_ns >= file->rotate_ns;
	int error;

	if (!file->is_regular || !(full || old))
		return;
	error = open_next(file);
	if (error) {
		give_up(file);
		*file = before;
		file->error = error;
		return;
	}
	close(before.fd);
	forget_oldest(file);
}

static void lose(struct capture_file *file, uint64_t packets, int error)
{
	file->lost += packets;
	file->error = error;
}

/* Blocks are counted where they are lost alone: to look at each costs more than to capture it. */
static void put_pcapng(struct capture_file *file, const uint8_t *blocks, size_t bytes)
{
	int error = write_whole(file, blocks, bytes);

	if (error)
		lose(file, count_blocks(blocks, bytes), error);
}

static void put_pcap(struct capture_file *file, const uint8_t *blocks, size_t bytes)
{
	size_t at = 0;

	while (at < bytes) {
		uint64_t packets = 0;
		size_t used = 0;
		int error;

		while (at < bytes && used + block_bytes(blocks + at) <= RECORD_BYTES) {
			used += format_record(blocks + at, file->record + used);
			at += block_bytes(blocks + at);
			packets++;
		}
		error = write_whole(file, file->record, used);
		if (error)
			lose(file, packets, error);
	}
}

void capture_file_put(struct capture_file *file, const uint8_t *blocks, size_t bytes)
{
	rotate(file);
	if (file->kind.format == CAPTURE_PCAP)
		put_pcap(file, blocks, bytes);
	else
		put_pcapng(file, blocks, bytes);
}

void capture_file_close(struct capture_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->record);
	file->fd = -1;
	file->record = NULL;
}
