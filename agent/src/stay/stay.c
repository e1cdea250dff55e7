// SPDX-License-Identifier: Apache-2.0
/* The loop of an agent that stays: orders in, frames out. */
#include "stay/stay.h"
#include "stay/job.h"
#include "stay/order.h"
#include "time/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MOST 32
#define PIECE_BYTES (64u << 10)
#define LOOK_MS 20 /* a job that has closed its pipes is as good as gone */
#define NICE_MOST (-20)
#define ENDING_NS (10 * NS_PER_S) /* for all jobs, when the laboratory is gone */

struct stayer {
	struct job_process jobs[JOBS_MOST];
	job_do *work;
	char input[ORDER_LINE_BYTES + ORDER_MOST_BYTES]; /* orders that were not followed yet */
	size_t used;
	uint64_t until_ns; /* when the last jobs are killed; 0: nobody has asked to end */
	int error; /* -errno: an order was none, or nobody takes the frames */
};

static volatile sig_atomic_t asked_to_end;

static void end_by_signal(int number)
{
	(void)number;
	asked_to_end = 1;
}

static void write_whole(struct stayer *stayer, const char *bytes, size_t count)
{
	while (count && !stayer->error) {
		ssize_t done = write(STDERR_FILENO, bytes, count);

		if (done < 0 && errno != EINTR)
			stayer->error = -errno;
		if (done < 0)
			continue;
		bytes += done;
		count -= (size_t)done;
	}
}

/* A frame: its line, and bytes behind it. */
static void frame(struct stayer *stayer, const char *word, unsigned int number, long value,
		  const char *bytes)
{
	char line[48];
	int length = snprintf(line, sizeof(line), "%s %u %ld\n", word, number, value);

	write_whole(stayer, line, (size_t)length);
	if (bytes)
		write_whole(stayer, bytes, (size_t)value);
}

static struct job_process *find(struct stayer *stayer, unsigned int number)
{
	for (size_t i = 0; i < JOBS_MOST; i++)
		if (stayer->jobs[i].pid && stayer->jobs[i].number == number)
			return &stayer->jobs[i];
	return NULL;
}

static struct job_process *find_free(struct stayer *stayer)
{
	for (size_t i = 0; i < JOBS_MOST; i++)
		if (!stayer->jobs[i].pid)
			return &stayer->jobs[i];
	return NULL;
}

/* A job that cannot be started is gone at once, and says why. */
static void begin(struct stayer *stayer, const struct order *order)
{
	struct job_process *place = find_free(stayer);
	int error = place ? job_start(place, order->number, order->verb, stayer->work) : -EAGAIN;
	const char *why = strerror(-error);

	if (!error)
		return;
	frame(stayer, "err", order->number, (long)strlen(why), why);
	frame(stayer, "gone", order->number, EXIT_FAILURE, NULL);
}

static void give(struct job_process *job, const char *bytes, size_t count)
{
	if (job_give(job, bytes, count) < 0)
		kill(job->pid, SIGKILL);
	else
		job_feed(job);
}

/* Orders to a job that has gone come too late, which is nobody's fault. */
static void follow(struct stayer *stayer, const struct order *order, const char *bytes)
{
	struct job_process *job = find(stayer, order->number);

	if (order->kind == ORDER_BEGIN) {
		if (job)
			stayer->error = -EINVAL;
		else
			begin(stayer, order);
		return;
	}
	if (!job)
		return;
	if (order->kind == ORDER_IN)
		give(job, bytes, order->bytes);
	else if (order->kind == ORDER_KILL)
		kill(job->pid, SIGKILL);
	else {
		job->ended = true;
		job_feed(job);
	}
}

/* Follows the first order, if it is whole; returns its length, or 0. */
static size_t follow_first(struct stayer *stayer)
{
	char *end = memchr(stayer->input, '\n', stayer->used);
	struct order order;
	size_t length;

	if (!end && stayer->used >= ORDER_LINE_BYTES)
		stayer->error = -EINVAL;
	if (!end)
		return 0;
	length = (size_t)(end - stayer->input) + 1;
	*end = '\0';
	if (order_read(stayer->input, &order) < 0) {
		stayer->error = -EINVAL;
		return 0;
	}
	*end = '\n'; /* until the bytes behind it are here */
	if (stayer->used < length + order.bytes)
		return 0;
	follow(stayer, &order, stayer->input + length);
	return length + order.bytes;
}

static void take_orders(struct stayer *stayer)
{
	ssize_t count = read(STDIN_FILENO, stayer->input + stayer->used,
			     sizeof(stayer->input) - stayer->used);
	size_t done;

	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (count <= 0) {
		asked_to_end = 1;
		return;
	}
	stayer->used += (size_t)count;
	do {
		done = follow_first(stayer);
		stayer->used -= done;
		memmove(stayer->input, stayer->input + done, stayer->used);
	} while (done && !stayer->error);
}

/* What a job printed. A pipe is closed at its end. */
static void pass_on(struct stayer *stayer, struct job_process *job, int *fd, const char *word)
{
	static char piece[PIECE_BYTES];
	ssize_t count = read(*fd, piece, sizeof(piece));

	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (count > 0) {
		frame(stayer, word, job->number, count, piece);
		return;
	}
	close(*fd);
	*fd = -1;
}

/* Those that have gone are told of when all that they printed is passed on. */
static void reap(struct stayer *stayer)
{
	for (size_t i = 0; i < JOBS_MOST; i++) {
		struct job_process *job = &stayer->jobs[i];
		int status;

		if (!job->pid || job->out >= 0 || job->err >= 0)
			continue;
		if (waitpid(job->pid, &status, WNOHANG) != job->pid)
			continue;
		frame(stayer, "gone", job->number,
		      WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), NULL);
		job_forget(job);
	}
}

static size_t watch_job(struct pollfd *fds, const struct job_process *job)
{
	fds[0] = (struct pollfd){ .fd = job->out, .events = POLLIN };
	fds[1] = (struct pollfd){ .fd = job->err, .events = POLLIN };
	fds[2] = (struct pollfd){ .fd = job->used ? job->in : -1, .events = POLLOUT };
	return 3;
}

static void serve_job(struct stayer *stayer, struct job_process *job, const struct pollfd *fds)
{
	if (fds[0].revents)
		pass_on(stayer, job, &job->out, "out");
	if (fds[1].revents)
		pass_on(stayer, job, &job->err, "err");
	if (fds[2].revents && job->in >= 0)
		job_feed(job);
}

/* How long to sleep, ms: until something comes, or a job that has closed its pipes has gone. */
static int patience(const struct stayer *stayer)
{
	for (size_t i = 0; i < JOBS_MOST; i++)
		if (stayer->jobs[i].pid &&
		    (stayer->until_ns || (stayer->jobs[i].out < 0 && stayer->jobs[i].err < 0)))
			return LOOK_MS;
	return -1;
}

static void look(struct stayer *stayer)
{
	struct pollfd fds[1 + 3 * JOBS_MOST] = {
		{ .fd = stayer->until_ns ? -1 : STDIN_FILENO, .events = POLLIN },
	};
	size_t count = 1;

	for (size_t i = 0; i < JOBS_MOST; i++)
		count += stayer->jobs[i].pid ? watch_job(fds + count, &stayer->jobs[i]) : 0;
	if (poll(fds, (nfds_t)count, patience(stayer)) <= 0)
		return;
	count = 1;
	for (size_t i = 0; i < JOBS_MOST; i++)
		if (stayer->jobs[i].pid) {
			serve_job(stayer, &stayer->jobs[i], fds + count);
			count += 3;
		}
	if (fds[0].revents) /* last: it may begin jobs, which have no place in fds */
		take_orders(stayer);
}

static size_t left(const struct stayer *stayer)
{
	size_t count = 0;

	for (size_t i = 0; i < JOBS_MOST; i++)
		count += stayer->jobs[i].pid != 0;
	return count;
}

/* Nobody gives orders any more: each job's stdin ends, and a while later each job. */
static void end_jobs(struct stayer *stayer)
{
	bool first = !stayer->until_ns;

	if (first)
		stayer->until_ns = clock_now() + ENDING_NS;
	for (size_t i = 0; i < JOBS_MOST; i++) {
		struct job_process *job = &stayer->jobs[i];

		if (job->pid && first)
			job_shut(job);
		else if (job->pid && clock_now() > stayer->until_ns)
			kill(job->pid, SIGKILL);
	}
}

/* Wakes poll(): a job may close its pipes long before it has gone. */
static void wake(int number)
{
	(void)number;
}

/*
 * Niceness counts within a session alone where the kernel groups tasks by it (sched(7), autogroup),
 * so the agent takes one of its own, and makes the group as nice. Its jobs are in it: a group for
 * each would cost each some 5 ms, since the kernel spreads a group's weight under its locks. An
 * ordinary user may do neither and goes on without.
 */
static void go_first(void)
{
	int group;

	setsid();
	setpriority(PRIO_PROCESS, 0, NICE_MOST);
	group = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (group < 0)
		return;
	(void)!write(group, "-20", 3);
	close(group);
}

int stay(job_do *work)
{
	static struct stayer stayer;
	struct sigaction end = { .sa_handler = end_by_signal }, woken = { .sa_handler = wake };

	stayer.work = work;
	go_first();
	sigaction(SIGTERM, &end, NULL);
	sigaction(SIGINT, &end, NULL);
	sigaction(SIGCHLD, &woken, NULL);
	signal(SIGPIPE, SIG_IGN);
	while (!(asked_to_end && !left(&stayer)) && !stayer.error) {
		if (asked_to_end)
			end_jobs(&stayer);
		look(&stayer);
		reap(&stayer);
	}
	for (size_t i = 0; i < JOBS_MOST; i++) /* where orders or frames could not go on */
		if (stayer.jobs[i].pid)
			kill(stayer.jobs[i].pid, SIGTERM);
	return stayer.error ? EXIT_FAILURE : EXIT_SUCCESS;
}
