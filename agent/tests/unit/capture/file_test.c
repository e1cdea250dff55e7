// SPDX-License-Identifier: Apache-2.0
/* The files of a capture, where the disk refuses what a rotation needs. */
#include "bpf/capture.h"
#include "capture/file.h"
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PACKET_BYTES 8
#define BLOCK_BYTES (CAPTURE_BLOCK_BYTES + PACKET_BYTES)

/* A capture in a folder of its own that has a new file for each packet. */
struct made_capture {
	char folder[32], first[64], second[64];
	struct capture_file file;
};

static void open_made(struct made_capture *made)
{
	struct fault fault = { 0 };

	strcpy(made->folder, "/tmp/gm-file-XXXXXX");
	CHECK(mkdtemp(made->folder));
	snprintf(made->first, sizeof(made->first), "%s/a.pcapng", made->folder);
	snprintf(made->second, sizeof(made->second), "%s/a-2.pcapng", made->folder);
	made->file = (struct capture_file){ .path = made->first, .rotate_bytes = 1, .keep = 1 };
	CHECK_EQUAL(capture_file_open(&made->file, &fault), 0);
}

static void put_packet(struct made_capture *made)
{
	uint8_t bytes[BLOCK_BYTES] = { 0 };
	struct capture_block block = {
		.type = CAPTURE_BLOCK_TYPE,
		.bytes = BLOCK_BYTES,
		.captured = PACKET_BYTES,
		.length = PACKET_BYTES,
	};

	memcpy(bytes, &block, sizeof(block));
	capture_file_put(&made->file, bytes, sizeof(bytes));
}

/* Each may be a folder, which unlink() does not take. */
static void close_made(struct made_capture *made)
{
	capture_file_close(&made->file);
	remove(made->first);
	remove(made->second);
	CHECK_EQUAL(rmdir(made->folder), 0);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

TEST(file_tells_that_the_next_one_does_not_open)
{
	struct made_capture made;

	open_made(&made);
	CHECK_EQUAL(mkdir(made.second, 0700), 0);
	put_packet(&made);
	CHECK_EQUAL(made.file.error, -EISDIR);
	CHECK_EQUAL(made.file.lost, 0);
	CHECK_EQUAL(made.file.number, 1);
	close_made(&made);
}

/* The limit of a file's size is less than a header. */
TEST(file_leaves_no_file_without_a_header)
{
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	struct made_capture made;
	struct rlimit limit, small;

	open_made(&made);
	CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = 4, .rlim_max = limit.rlim_max };
	CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
	put_packet(&made);
	CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, before);
	CHECK(exists(made.first));
	CHECK(!exists(made.second));
	close_made(&made);
}

TEST(file_tells_that_the_oldest_stays)
{
	struct made_capture made;

	open_made(&made);
	CHECK_EQUAL(unlink(made.first), 0);
	CHECK_EQUAL(mkdir(made.first, 0700), 0);
	put_packet(&made);
	CHECK_EQUAL(made.file.error, -EISDIR);
	CHECK_EQUAL(made.file.number, 2);
	close_made(&made);
}

TEST(file_does_not_mind_that_the_oldest_is_gone)
{
	struct made_capture made;

	open_made(&made);
	CHECK_EQUAL(unlink(made.first), 0);
	put_packet(&made);
	CHECK_EQUAL(made.file.error, 0);
	CHECK_EQUAL(made.file.number, 2);
	close_made(&made);
}

/* Behind what others wrote, by a descriptor at its end or one that appends. */
static void check_cut(int flags)
{
	static const char others[] = "what others wrote before the capture begins";
	char path[] = "/tmp/gm-file-XXXXXX", text[sizeof(others)], name[32];
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	struct made_capture made = { 0 };
	struct fault fault = { 0 };
	struct rlimit limit, small;
	int first = mkstemp(path);
	struct stat whole, after;
	int fd;

	CHECK_EQUAL(write(first, others, sizeof(others)), sizeof(others));
	fd = flags ? open(path, O_RDWR | flags) : dup(first);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	made.file = (struct capture_file){ .path = name };
	CHECK_EQUAL(capture_file_open(&made.file, &fault), 0);
	put_packet(&made);
	CHECK_EQUAL(fstat(fd, &whole), 0);
	CHECK_EQUAL(whole.st_size, sizeof(others) + made.file.file_bytes);
	CHECK_EQUAL(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){ .rlim_cur = (rlim_t)whole.st_size + BLOCK_BYTES / 2,
				 .rlim_max = limit.rlim_max };
	CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &small), 0);
	put_packet(&made);
	CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, before);
	CHECK_EQUAL(made.file.lost, 1);
	CHECK_EQUAL(fstat(fd, &after), 0);
	CHECK_EQUAL(after.st_size, whole.st_size);
	put_packet(&made);
	CHECK_EQUAL(fstat(fd, &after), 0);
	CHECK_EQUAL(after.st_size, whole.st_size + BLOCK_BYTES);
	CHECK_EQUAL(pread(first, text, sizeof(text), 0), sizeof(text));
	CHECK_EQUAL(memcmp(text, others, sizeof(others)), 0);
	capture_file_close(&made.file);
	close(fd);
	close(first);
	CHECK_EQUAL(unlink(path), 0);
}

TEST(file_takes_back_what_a_full_disk_cut_off)
{
	check_cut(0);
	check_cut(O_APPEND);
}
