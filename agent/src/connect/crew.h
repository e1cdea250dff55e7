// SPDX-License-Identifier: Apache-2.0
/*
 * Several processes that share one job, because one may not open enough descriptors: the hard limit
 * (RLIMIT_NOFILE) of a process without CAP_SYS_RESOURCE is often 4096 to 524288. The first process
 * is the agent that the laboratory talks with; the others are its children. A child's stdin is its
 * pipe of commands, its stdout that of its replies, so that talk_over() means the same to both:
 * the pipe is closed, the job is over. They work one at a time and count in memory that they share.
 */
#ifndef GM_CREW_H
#define GM_CREW_H

#include "talk/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define CREW_MOST 512

struct crew {
	unsigned int count, number; /* processes; this one, 0 is the first */
	pid_t pid[CREW_MOST];
	int command[CREW_MOST]; /* to send to process i; -1: not ours */
	int reply[CREW_MOST]; /* of process i */
};

/*
 * How many connections each process takes, so that there are few processes: all, if one process may
 * open so many. 0 with the fault filled if even several cannot.
 */
unsigned int crew_share(unsigned int connections, struct fault *fault);

/* Zeroed memory that all processes share; taken before crew_begin(). NULL if there is none. */
void *crew_memory(size_t bytes);

/*
 * Forks. Returns in every process, with ->number set; in a child stdin and stdout are exchanged.
 * chain: each process may command the next, besides the first commanding all. 0, or -errno in the
 * first.
 */
int crew_begin(struct crew *crew, unsigned int count, bool chain, struct fault *fault);

/* Sends a command, one character. */
void crew_command(struct crew *crew, unsigned int to, char what);

/* Child: waits for a command. 0: the job is over. */
char crew_await(void);

/* Child: reports that the command is done. */
void crew_reply(void);

/* First: whether process `from` has replied, or ended, within timeout_ms. */
bool crew_replied(const struct crew *crew, unsigned int from, int timeout_ms);

/* Ends the command pipe of one process, or waits for the end of all. */
void crew_dismiss(struct crew *crew, unsigned int number);
void crew_end(struct crew *crew);

/*
 * What this process has in memory, shared pages by their share. It watches from when it is told to,
 * after fork(): in the sandbox no file can be opened.
 */
void memory_watch(void);
uint64_t memory_used(void);

#endif
