// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes on stdin: the lines that are handed out are the lines that came, and whatever comes in
 * the place of start, it is start or a fault with words.
 */
#include "fuzz/fuzz.h"
#include "talk/talk.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Makes the data stdin. */
static void offer(const uint8_t *data, size_t size)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC);

	REQUIRE(fd >= 0 && (!size || pwrite(fd, data, size, 0) == (ssize_t)size));
	REQUIRE(dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	close(fd);
}

/* Whether the next line of the data, without its end, is this text. */
static bool comes_next(const uint8_t *data, size_t size, const char *text)
{
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;

	return end && strlen(text) == (size_t)(end - data) &&
	       memcmp(data, text, (size_t)(end - data)) == 0;
}

static void read_lines(const uint8_t *data, size_t size)
{
	struct talk talk = { .line.fd = -1 };
	char *text = NULL;
	int result;

	offer(data, size);
	while ((result = talk_line(&talk, &text)) > 0) {
		REQUIRE(comes_next(data, size, text));
		data += strlen(text) + 1;
		size -= strlen(text) + 1;
		free(text);
	}
	if (!result)
		REQUIRE(!size || !memchr(data, '\n', size));
	else /* a line with a NUL in it is none */
		REQUIRE(result == -EINVAL && memchr(data, '\0', size));
	talk_release(&talk);
}

static void await_start(const uint8_t *data, size_t size, bool timed)
{
	struct talk talk = { .line.fd = open("/dev/null", O_WRONLY | O_CLOEXEC) };
	struct fault fault = { 0 };
	int64_t t0_us = 0;
	int error;

	offer(data, size);
	error = timed ? talk_start_at(&talk, &t0_us, &fault) : talk_start(&talk, &fault);
	if (error)
		REQUIRE(*fault.reason && *fault.fix);
	else
		REQUIRE(t0_us >= 0 && !talk.line.error);
	close(talk.line.fd);
	talk_release(&talk);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_lines(data, size);
	await_start(data, size, false);
	await_start(data, size, true);
	return 0;
}
