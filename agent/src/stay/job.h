// SPDX-License-Identifier: Apache-2.0
/* A job of an agent that stays: a child process, its three pipes, and what it has yet to read. */
#ifndef GM_JOB_H
#define GM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Does the job of a verb over stdin and stdout, as a process of its own; returns its exit code. */
typedef int job_do(const char *verb);

struct job_process {
	unsigned int number; /* as the laboratory calls it */
	pid_t pid; /* 0: this place is free */
	int in, out, err; /* this end of its pipes; -1: closed */
	bool ended; /* its stdin ends behind what is pending */
	char *pending; /* that it has not taken yet */
	size_t used;
};

/* Starts it: before all else on its CPU, and ended with this process. 0 or -errno. */
int job_start(struct job_process *job, unsigned int number, const char *verb, job_do *work);

/* Adds to what it reads. 0, -ENOMEM, or -E2BIG where it has left too much. */
int job_give(struct job_process *job, const char *bytes, size_t count);

/* Hands over as much as it takes now, and the end behind the last. */
void job_feed(struct job_process *job);

/* No more is to be written to it, or could be. */
void job_shut(struct job_process *job);

/* Closes what is left of it, and frees its place; its process has been waited for. */
void job_forget(struct job_process *job);

#endif
