// SPDX-License-Identifier: Apache-2.0
/*
 * Any text in each file of /proc that watch reads: when the gauge is opened, and another one when
 * it is sampled. What is reported is one value of each column for each sample.
 */
#include "fuzz/fuzz.h"
#include "gauge/gauge.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLES 3

static const struct {
	const struct gauge_kind *kind;
	const char *path;
} kinds[] = {
	{ &gauge_threads, "7/schedstat" },
	{ &gauge_cpu, "stat" },
	{ &gauge_softnet, "self/net/softnet_stat" },
	{ &gauge_interfaces, "self/net/dev" },
	{ &gauge_memory, "meminfo" },
	{ &gauge_conntrack, "self/net/stat/nf_conntrack" },
	{ &gauge_slab, "slabinfo" },
	{ &gauge_pagesets, "zoneinfo" },
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static char folder[] = "/dev/shm/gauge-fuzz-XXXXXX"; /* in the place of /proc */

static void remove_folder(void)
{
	static const char *const folders[] = { "7", "self/net/stat", "self/net", "self", "" };
	char path[96];

	for (size_t i = 0; i < KINDS; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, kinds[i].path);
		unlink(path);
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, folders[i]);
		rmdir(path);
	}
}

static int open_folder(void)
{
	static const char *const folders[] = { "7", "self", "self/net", "self/net/stat" };
	int proc;

	REQUIRE(mkdtemp(folder));
	atexit(remove_folder);
	proc = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	REQUIRE(proc >= 0);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		REQUIRE(mkdirat(proc, folders[i], 0700) == 0);
	return proc;
}

static void write_file(int proc, const char *path, struct input text)
{
	int fd = openat(proc, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	REQUIRE(fd >= 0 && (!text.left || write(fd, text.at, text.left) == (ssize_t)text.left));
	close(fd);
}

static void report(const struct gauge *gauge)
{
	struct line line = { .fd = memfd_create("line", MFD_CLOEXEC) };

	REQUIRE(line.fd >= 0);
	line_begin(&line, "done");
	gauge_report(gauge, SAMPLES, &line);
	line_end(&line);
	REQUIRE(!line.error);
	close(line.fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int proc = -1;
	static int32_t thread[] = { 7, 8 }; /* there is no 8 */
	static const char *device[] = { "lo", "eth0" };
	static const char *slab[] = { "skbuff_head_cache", "nf_conntrack" };
	const struct integers threads = { 2, thread };
	const struct texts devices = { 2, device }, slabs = { 2, slab };
	struct input input = { data, size };
	uint8_t which = input_8(&input) % KINDS;
	struct input first = input_part(&input, input_16(&input));
	struct gauge_options options = {
		.threads = &threads, .devices = &devices, .slabs = &slabs, .samples = SAMPLES
	};
	struct fault fault = { 0 };
	struct gauge gauge = { .fd = -1 };
	int error;

	if (proc < 0)
		proc = open_folder();
	options.proc = proc;
	write_file(proc, kinds[which].path, first);
	error = gauge_open(&gauge, kinds[which].kind, &options, &fault);
	REQUIRE(!error || error == -ENOENT);
	if (!error) {
		gauge_sample(&gauge, 0);
		write_file(proc, kinds[which].path, input);
		for (size_t row = 1; row < SAMPLES; row++)
			gauge_sample(&gauge, row);
		report(&gauge);
	}
	gauge_close(&gauge);
	return 0;
}
