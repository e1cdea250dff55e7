// SPDX-License-Identifier: Apache-2.0
/* The conversation: lines in, events out. */
#include "talk/talk.h"
#include "sandbox/sandbox.h"
#include "talk/request.h"
#include "time/clock.h"
#include "version.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LINE_MAX_BYTES (4u << 20) /* three lists of 100 000 numbers fit */

static volatile sig_atomic_t asked_to_end;

static void end_by_signal(int number)
{
	(void)number;
	asked_to_end = 1;
}

void talk_begin(struct talk *talk)
{
	/* No SA_RESTART: poll() and clock_nanosleep() have to return. */
	struct sigaction action = { .sa_handler = end_by_signal };

	*talk = (struct talk){ .line.fd = STDOUT_FILENO };
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void talk_release(struct talk *talk)
{
	free(talk->text);
	talk->text = NULL;
}

int talk_alone(struct talk *talk, const char *request)
{
	static const char start[] = "\n{\"cmd\":\"start\"}\n";
	size_t room = strlen(request) + sizeof(start);

	talk->text = malloc(room);
	if (!talk->text)
		return -ENOMEM;
	talk->room = room;
	talk->used = (size_t)snprintf(talk->text, room, "%s%s", request, start);
	talk->alone = true;
	return 0;
}

void talk_hello(struct talk *talk, const char *verb)
{
	struct utsname name;

	uname(&name);
	line_begin(&talk->line, "hello");
	line_text(&talk->line, "agent", "gm-agent");
	line_text(&talk->line, "version", AGENT_VERSION);
	line_integer(&talk->line, "protocol", AGENT_PROTOCOL);
	line_text(&talk->line, "verb", verb);
	line_text(&talk->line, "arch", AGENT_ARCH);
	line_text(&talk->line, "endian", AGENT_ENDIAN);
	line_text(&talk->line, "kernel", name.release);
	line_integer(&talk->line, "pid", getpid());
	line_end(&talk->line);
}

void talk_fault(struct talk *talk, const struct fault *fault)
{
	line_begin(&talk->line, "error");
	if (fault->key)
		line_text(&talk->line, "key", fault->key);
	line_text(&talk->line, "reason", fault->reason);
	line_text(&talk->line, "fix", fault->fix);
	line_end(&talk->line);
}

static const char *sched_name(void)
{
	static const char *const names[] = {
		[SCHED_OTHER] = "other", [SCHED_FIFO] = "fifo", [SCHED_RR] = "rr",
		[SCHED_BATCH] = "batch", [SCHED_IDLE] = "idle",
	};
	/* musl's sched_getscheduler() always returns ENOSYS; the kernel knows better. */
	long policy = syscall(SYS_sched_getscheduler, 0);

	if (policy < 0 || policy >= (long)(sizeof(names) / sizeof(names[0])) || !names[policy])
		return "unknown";
	return names[policy];
}

void talk_ready(struct talk *talk, const char *port, int cpu)
{
	line_begin(&talk->line, "ready");
	if (port)
		line_text(&talk->line, "port", port);
	line_integer(&talk->line, "cpu", cpu);
	line_text(&talk->line, "sched", sched_name());
	line_text(&talk->line, "sandbox", sandbox_enter(talk->needs));
}

/* Reads what is there. 0, or -errno; the end of input is noted in ->closed. */
static int take_input(struct talk *talk)
{
	ssize_t count;

	if (talk->used + 1 >= talk->room) {
		size_t room = talk->room ? 2 * talk->room : 4096;
		char *more = room > LINE_MAX_BYTES ? NULL : realloc(talk->text, room);

		if (!more)
			return -E2BIG;
		talk->text = more;
		talk->room = room;
	}
	count = read(STDIN_FILENO, talk->text + talk->used, talk->room - talk->used - 1);
	if (count < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;
	talk->used += (size_t)count;
	if (!count)
		talk->closed = true;
	return 0;
}

/* Hands out the first line of what was read, if there is a whole one. A NUL would hide its rest. */
static int cut_line(struct talk *talk, char **text)
{
	char *end = talk->used ? memchr(talk->text, '\n', talk->used) : NULL;
	size_t length;

	if (!end)
		return 0;
	*end = '\0';
	*text = strdup(talk->text);
	if (!*text)
		return -ENOMEM;
	length = (size_t)(end + 1 - talk->text);
	if (strlen(*text) + 1 != length) {
		free(*text);
		*text = NULL;
		return -EINVAL;
	}
	talk->used -= length;
	memmove(talk->text, end + 1, talk->used);
	return 1;
}

static int wait_for_signal(void)
{
	poll(NULL, 0, 500); /* a signal may have come just before */
	return 0;
}

int talk_line(struct talk *talk, char **text)
{
	for (;;) {
		int result = cut_line(talk, text);

		if (result)
			return result;
		if (talk->closed || asked_to_end)
			return 0;
		result = talk->alone ? wait_for_signal() : take_input(talk);
		if (result)
			return result;
	}
}

int talk_unread(struct fault *fault, int error, const char *what)
{
	if (error == -EINVAL)
		return fault_set(fault, error, NULL, "send one JSON object on one line",
				 "%s: there is a NUL in the line", what);
	return fault_system(fault, error, NULL, what);
}

struct command {
	const char *cmd;
	int64_t t0_us;
};

static const struct key command_keys[] = {
	KEY(command, cmd, TEXT, .required = true, .help = "{\"cmd\":\"start\"}"),
	{ 0 },
};

static const struct key at_keys[] = {
	KEY(command, t0_us, INTEGER, .max = INT64_MAX, .help = "when to begin"),
	{ 0 },
};

/* more: keys besides cmd, or NULL. */
static int await_start(struct talk *talk, struct command *command, const struct key *more,
		       struct fault *fault)
{
	char *text = NULL;
	int result = talk_line(talk, &text);

	if (result < 0)
		return talk_unread(fault, result, "reading stdin");
	if (!result)
		return fault_set(fault, -ECANCELED, NULL, "send {\"cmd\":\"start\"} after ready",
				 "stdin was closed before start");
	result = request_read(command, text, command_keys, more, fault);
	if (!result && strcmp(command->cmd, "start") != 0)
		result = fault_set(fault, -EINVAL, "cmd", "send {\"cmd\":\"start\"}",
				   "start was expected");
	free(text);
	return result;
}

int talk_await_start(struct talk *talk, struct fault *fault)
{
	struct command command = { 0 };

	return await_start(talk, &command, NULL, fault);
}

void talk_answer_start(struct talk *talk)
{
	line_begin(&talk->line, "start");
	line_count(&talk->line, "t_ns", clock_now());
	line_end(&talk->line);
}

int talk_start(struct talk *talk, struct fault *fault)
{
	int error = talk_await_start(talk, fault);

	if (!error)
		talk_answer_start(talk);
	return error;
}

int talk_start_at(struct talk *talk, int64_t *t0_us, struct fault *fault)
{
	struct command command = { 0 };
	int error = await_start(talk, &command, at_keys, fault);

	*t0_us = command.t0_us;
	if (!error)
		talk_answer_start(talk);
	return error;
}

struct pollfd talk_input(const struct talk *talk)
{
	return (struct pollfd){ .fd = talk->alone ? -1 : STDIN_FILENO, .events = POLLIN };
}

bool talk_over(struct talk *talk)
{
	struct pollfd input = talk_input(talk);

	return asked_to_end || talk->closed || talk->line.error || poll(&input, 1, 0) > 0;
}

void talk_sleep_until(const struct talk *talk, uint64_t time_ns)
{
	struct pollfd input = talk_input(talk);
	uint64_t now = clock_now();
	uint64_t left = time_ns > now ? time_ns - now : 0;
	struct timespec wait = {
		.tv_sec = (time_t)(left / NS_PER_S),
		.tv_nsec = (long)(left % NS_PER_S),
	};

	ppoll(&input, 1, &wait, NULL);
}
