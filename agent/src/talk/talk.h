// SPDX-License-Identifier: Apache-2.0
/*
 * The conversation with the laboratory over stdin and stdout (PROTOCOL.md): hello, the request,
 * ready, start, ticks, done. One thread; no call inside a measured loop but talk_over(), which
 * costs one poll().
 */
#ifndef GM_TALK_H
#define GM_TALK_H

#include "talk/fault.h"
#include "talk/line.h"

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct talk {
	struct line line; /* the event being written */
	char *text; /* input that was not handed out yet */
	size_t used, room;
	bool closed; /* stdin has ended, or a signal asked to end */
	bool alone; /* nobody talks: stdin is not read */
	unsigned int needs; /* after ready: bits of enum sandbox_need */
};

/* Ends in order at SIGTERM and SIGINT, as if stdin had been closed. */
void talk_begin(struct talk *talk);
void talk_release(struct talk *talk);

/* A conversation with nobody: the request is given, and the job starts at once. 0 or -ENOMEM. */
int talk_alone(struct talk *talk, const char *request);

void talk_hello(struct talk *talk, const char *verb);
void talk_fault(struct talk *talk, const struct fault *fault);

/*
 * Enters the sandbox and begins the ready line; the caller adds to talk->line and ends it. port may
 * be NULL.
 */
void talk_ready(struct talk *talk, const char *port, int cpu);

/*
 * Waits for the next line, allocated for the caller. 1; 0: the conversation is over; or -errno:
 * -EINVAL: there is a NUL in it; -E2BIG: it has no end within 4 MiB.
 */
int talk_line(struct talk *talk, char **text);

/* The fault of a line that could not be read; `what` begins its reason. Is error. */
int talk_unread(struct fault *fault, int error, const char *what);

/* Waits for {"cmd":"start"} and answers with the start event. */
int talk_start(struct talk *talk, struct fault *fault);

/* The two halves of talk_start(), for callers with something to do between them. */
int talk_await_start(struct talk *talk, struct fault *fault);
void talk_answer_start(struct talk *talk);

/* As talk_start(), where the laboratory may set when to begin: t0_us (0: not set). */
int talk_start_at(struct talk *talk, int64_t *t0_us, struct fault *fault);

/* True if the job has to end: stdin was closed, a signal came, or another line came. */
bool talk_over(struct talk *talk);

/*
 * Stdin, to be polled besides the caller's own. Where nobody talks poll() passes it over, and its
 * caller looks at talk_over() now and then: a signal may come just before it sleeps.
 */
struct pollfd talk_input(const struct talk *talk);

/* Sleeps until a time of CLOCK_MONOTONIC, or until stdin is readable. */
void talk_sleep_until(const struct talk *talk, uint64_t time_ns);

#endif
