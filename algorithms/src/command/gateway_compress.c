/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compress compressor=gzip|zstd|xz|lz4 size=BYTES level=N: a compressor of the distribution packs a
 * made text, as a process of its own with its start. An operation is a byte. The digest is that of
 * the text after packing and unpacking, since versions pack differently.
 */
#include "command/gateway.h"
#include "program/memory.h"
#include "program/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const compressors[] = { "gzip", "zstd", "xz", "lz4", NULL };

struct compress {
	struct gateway gateway;
	const char *compressor;
	char level[8];
	FILE *text, *packed, *unpacked;
};

/* Runs the compressor with files as its input and output; 127 where there is none. */
static int ran(const struct compress *compress, const char *option, FILE *input, FILE *output)
{
	int status = 0;
	pid_t pid = -1;

	if (lseek(fileno(input), 0, SEEK_SET) == 0 && lseek(fileno(output), 0, SEEK_SET) == 0 &&
	    ftruncate(fileno(output), 0) == 0)
		pid = fork();
	if (pid < 0)
		fail(1, "no process for %s", compress->compressor);
	if (pid == 0) {
		dup2(fileno(input), 0);
		dup2(fileno(output), 1);
		execlp(compress->compressor, compress->compressor, option, "-c", (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void pass(void *state)
{
	struct compress *compress = state;

	if (ran(compress, compress->level, compress->text, compress->packed) != 0)
		fail(1, "%s %s failed", compress->compressor, compress->level);
}

/* Words of a small vocabulary, as texts and logs have. */
static void write_text(FILE *text, uint32_t size)
{
	struct gm_random random = { 1 };

	for (uint32_t written = 0; written < size; written++) {
		struct gm_random word = { gm_random_below(&random, 2000) };
		uint32_t letters = 2 + gm_random_below(&word, 9);

		for (; letters && written < size - 1; letters--, written++)
			fputc('a' + (int)gm_random_below(&word, 26), text);
		fputc(' ', text);
	}
	fflush(text);
}

/* What came back, as the results that the digest is of. */
static void keep(struct compress *compress, uint32_t size)
{
	uint8_t *text = memory_new(size + 1U, 1);
	size_t back;

	if (ran(compress, "-d", compress->packed, compress->unpacked) != 0)
		fail(1, "%s -d failed", compress->compressor);
	fseek(compress->unpacked, 0, SEEK_SET);
	back = fread(text, 1, size + 1U, compress->unpacked);
	if (back != size)
		fail(1, "%s gave back %zu bytes of %u", compress->compressor, back, size);
	for (uint32_t i = 0; i < size; i++)
		compress->gateway.results[i] = text[i];
	free(text);
}

int gateway_compress(struct ask *ask, const char *name)
{
	struct compress compress = {
		.compressor = compressors[ask_choice(ask, "compressor", compressors)]
	};
	uint32_t size = (uint32_t)ask_number(ask, "size", 1U << 20, 1, 1U << 26);
	uint32_t level = (uint32_t)ask_number(ask, "level", 1, 1, 9);
	uint64_t packed;

	snprintf(compress.level, sizeof(compress.level), "-%u", level);
	gateway_build(&compress.gateway, ask, size);
	compress.text = tmpfile();
	compress.packed = tmpfile();
	compress.unpacked = tmpfile();
	if (!compress.text || !compress.packed || !compress.unpacked)
		return gateway_skipped(&compress.gateway, name,
				       "no temporary file: /tmp is not there or full");
	write_text(compress.text, size);
	if (ran(&compress, compress.level, compress.text, compress.packed) == 127)
		return gateway_skipped(&compress.gateway, name,
				       "the compressor is not installed here");
	compress.gateway.bytes = size;
	gateway_time(&compress.gateway, NULL, pass, &compress, size);
	fseek(compress.packed, 0, SEEK_END);
	packed = (uint64_t)ftell(compress.packed);
	keep(&compress, size);
	gateway_record(&compress.gateway, name, compress.compressor);
	record_number("size", size);
	record_number("level", level);
	record_number("packed_bytes", packed);
	return gateway_end(&compress.gateway, size);
}
