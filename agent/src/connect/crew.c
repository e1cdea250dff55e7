// SPDX-License-Identifier: Apache-2.0
/* Processes that take turns. */
#include "connect/crew.h"
#include "port/socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALONE_DESCRIPTORS 320 /* listeners, epoll and the like */
#define LED_DESCRIPTORS (ALONE_DESCRIPTORS + 4 * CREW_MOST) /* and the pipes to the others */
#define LEAST_SHARE 256

unsigned int crew_share(unsigned int connections, struct fault *fault)
{
	struct rlimit limit;

	if (socket_allow((size_t)connections + ALONE_DESCRIPTORS) == 0)
		return connections;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
	    limit.rlim_max > LED_DESCRIPTORS + LEAST_SHARE) {
		unsigned int share = (unsigned int)limit.rlim_max - LED_DESCRIPTORS;

		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit) == 0 &&
		    (connections + share - 1) / share <= CREW_MOST)
			return share;
	}
	fault_fill(fault, "connections",
		   "ask for fewer, run as root, or raise the limit (ulimit -Hn, fs.nr_open)",
		   "%u connections need more descriptors than may be opened here", connections);
	return 0;
}

void *crew_memory(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

struct pipes {
	int command[2], reply[2]; /* reading end, writing end */
};

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In a child: its own ends become stdin and stdout; of the others it keeps the next one's. */
static void settle(struct crew *crew, struct pipes *pipes, bool chain)
{
	unsigned int own = crew->number;

	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGTERM, 0ul, 0ul, 0ul);
	dup2(pipes[own].command[0], STDIN_FILENO);
	dup2(pipes[own].reply[1], STDOUT_FILENO);
	for (unsigned int i = 1; i < crew->count; i++) {
		close_one(&pipes[i].command[0]);
		close_one(&pipes[i].reply[0]);
		close_one(&pipes[i].reply[1]);
		if (!chain || i != own + 1)
			close_one(&pipes[i].command[1]);
		crew->command[i] = pipes[i].command[1];
		crew->reply[i] = -1;
	}
}

static int open_pipes(struct pipes *pipes, unsigned int count)
{
	for (unsigned int i = 1; i < count; i++)
		if (pipe2(pipes[i].command, O_CLOEXEC) < 0 || pipe2(pipes[i].reply, O_CLOEXEC) < 0)
			return -errno;
	return 0;
}

/* 0 in every process, or -errno. */
static int fork_all(struct crew *crew, struct pipes *pipes, bool chain)
{
	for (unsigned int i = 1; i < crew->count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return -errno;
		if (!pid) {
			crew->number = i;
			settle(crew, pipes, chain);
			return 0;
		}
		crew->pid[i] = pid;
		crew->command[i] = pipes[i].command[1];
		crew->reply[i] = pipes[i].reply[0];
	}
	for (unsigned int i = 1; i < crew->count; i++) {
		close_one(&pipes[i].command[0]);
		close_one(&pipes[i].reply[1]);
	}
	return 0;
}

int crew_begin(struct crew *crew, unsigned int count, bool chain, struct fault *fault)
{
	struct pipes *pipes = calloc(count, sizeof(*pipes));
	int error = pipes ? 0 : -ENOMEM;

	memset(crew, 0, sizeof(*crew));
	memset(crew->command, -1, sizeof(crew->command));
	memset(crew->reply, -1, sizeof(crew->reply));
	crew->count = count;
	if (!error)
		error = open_pipes(pipes, count);
	if (!error)
		error = fork_all(crew, pipes, chain);
	free(pipes);
	return error ? fault_system(fault, error, "connections", "processes that share them") : 0;
}

void crew_command(struct crew *crew, unsigned int to, char what)
{
	if (write(crew->command[to], &what, 1) != 1)
		close_one(&crew->command[to]);
}

char crew_await(void)
{
	char what = 0;

	return read(STDIN_FILENO, &what, 1) == 1 ? what : '\0';
}

void crew_reply(void)
{
	char done = '.';

	(void)!write(STDOUT_FILENO, &done, 1);
}

bool crew_replied(const struct crew *crew, unsigned int from, int timeout_ms)
{
	struct pollfd wait = { .fd = crew->reply[from], .events = POLLIN };
	char done;

	if (poll(&wait, 1, timeout_ms) <= 0)
		return false;
	(void)!read(crew->reply[from], &done, 1);
	return true;
}

void crew_dismiss(struct crew *crew, unsigned int number)
{
	close_one(&crew->command[number]);
}

void crew_end(struct crew *crew)
{
	for (unsigned int i = 1; i < crew->count; i++)
		crew_dismiss(crew, i);
	for (unsigned int i = 1; i < crew->count && !crew->number; i++)
		while (crew->pid[i] > 0 && waitpid(crew->pid[i], NULL, 0) < 0 && errno == EINTR)
			;
}

static int memory_file = -1;

void memory_watch(void)
{
	memory_file = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
}

uint64_t memory_used(void)
{
	char text[4096];
	ssize_t count = pread(memory_file, text, sizeof(text) - 1, 0);
	const char *line;

	text[count > 0 ? count : 0] = '\0';
	line = strstr(text, "\nPss:");
	return line ? strtoull(line + 5, NULL, 10) * 1024 : 0;
}
