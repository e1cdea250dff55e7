// SPDX-License-Identifier: Apache-2.0
/* A job: started, fed, forgotten. */
#include "stay/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PENDING_MOST (8u << 20) /* a request has 4 MiB at most (talk.c) */

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* No job has a pipe of another: a pipe ends when all who have it are gone. */
static void close_others(void)
{
	long most = sysconf(_SC_OPEN_MAX);

	if (syscall(SYS_close_range, 3u, ~0u, 0u) == 0)
		return;
	for (int fd = 3; fd < (most > 0 ? most : 1024); fd++) /* before Linux 5.9 */
		close(fd);
}

static _Noreturn void become(const char *verb, job_do *work, const int far[3], pid_t parent)
{
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0ul, 0ul, 0ul);
	if (getppid() != parent) /* it went before that held */
		_exit(EXIT_FAILURE);
	for (int fd = 0; fd < 3; fd++)
		if (far[fd] < 0 || dup2(far[fd], fd) < 0)
			_exit(EXIT_FAILURE);
	close_others();
	_exit(work(verb));
}

/* Makes the pipes: near for us, far for the job. 0 or -errno, with all open ones in the arrays. */
static int make_pipes(int near[3], int far[3])
{
	for (int fd = 0; fd < 3; fd++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC) < 0)
			return -errno;
		near[fd] = ends[fd == 0];
		far[fd] = ends[fd != 0];
	}
	return fcntl(near[0], F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

int job_start(struct job_process *job, unsigned int number, const char *verb, job_do *work)
{
	int near[3] = { -1, -1, -1 }, far[3] = { -1, -1, -1 };
	pid_t own = getpid(), pid = -1;
	int error = make_pipes(near, far);

	if (!error) {
		pid = fork();
		error = pid < 0 ? -errno : 0;
	}
	if (pid == 0)
		become(verb, work, far, own);
	for (int fd = 0; fd < 3; fd++) {
		shut(&far[fd]);
		if (error)
			shut(&near[fd]);
	}
	if (!error)
		*job = (struct job_process){
			.number = number,
			.pid = pid,
			.in = near[0],
			.out = near[1],
			.err = near[2],
		};
	return error;
}

int job_give(struct job_process *job, const char *bytes, size_t count)
{
	char *more;

	if (job->in < 0)
		return 0;
	if (job->used + count > PENDING_MOST)
		return -E2BIG;
	more = realloc(job->pending, job->used + count);
	if (!more)
		return -ENOMEM;
	memcpy(more + job->used, bytes, count);
	job->pending = more;
	job->used += count;
	return 0;
}

void job_feed(struct job_process *job)
{
	ssize_t count = job->used ? write(job->in, job->pending, job->used) : 0;

	if (count < 0) {
		if (errno != EAGAIN && errno != EINTR)
			job_shut(job);
		return;
	}
	job->used -= (size_t)count;
	if (job->used)
		memmove(job->pending, job->pending + count, job->used);
	else if (job->ended)
		job_shut(job);
}

void job_shut(struct job_process *job)
{
	shut(&job->in);
	free(job->pending);
	job->pending = NULL;
	job->used = 0;
}

void job_forget(struct job_process *job)
{
	job_shut(job);
	shut(&job->out);
	shut(&job->err);
	*job = (struct job_process){ 0 };
}
