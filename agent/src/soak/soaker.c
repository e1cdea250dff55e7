// SPDX-License-Identifier: Apache-2.0
/* The loop, and how it is kept behind all other work. */
#include "soak/soaker.h"
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 2000 /* of a turn: 3 us on a server, 40 us on a router of 400 MHz */
#define LEAST_NICE 19

/*
 * Where the kernel groups tasks by session (sched(7), autogroup), the lowest class counts only
 * within one. So the process takes a session of its own, and makes that the nicest.
 */
static void stand_back(void)
{
	int fd;

	setsid();
	fd = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* not grouped */
	(void)!write(fd, "19", 2);
	close(fd);
}

static _Noreturn void turn(struct soaked *soaked, pid_t parent, int begun)
{
	volatile uint32_t *turns = &soaked->turns;
	uint32_t value = 1;

	prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0ul, 0ul, 0ul);
	if (getppid() != parent)
		_exit(0);
	stand_back();
	sandbox_enter(0);
	close(begun);
	for (;;) {
		for (int step = 0; step < STEPS; step++) {
			value = value * 1664525u + 1013904223u;
			__asm__ volatile("" : "+r"(value)); /* each step is to be done */
		}
		*turns = *turns + 1;
	}
}

/* Also nice, by which /proc/stat counts the time of the class SCHED_IDLE as nice. */
static int hold_back(pid_t pid, unsigned int cpu)
{
	struct sched_param none = { 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) < 0)
		return -errno;
	if (setpriority(PRIO_PROCESS, (id_t)pid, LEAST_NICE) < 0)
		return -errno;
	/* musl's sched_setscheduler() always returns ENOSYS; the kernel knows better. */
	if (syscall(SYS_sched_setscheduler, pid, SCHED_IDLE, &none) < 0)
		return -errno;
	return 0;
}

/*
 * Waits until the loop has stood back and is in its sandbox: later, behind all other work, that could
 * take any time.
 */
static void await(const int begun[2])
{
	char none;

	close(begun[1]);
	while (read(begun[0], &none, 1) < 0 && errno == EINTR)
		;
	close(begun[0]);
}

int soaker_start(struct soaker *soaker, unsigned int cpu, struct soaked *soaked)
{
	pid_t parent = getpid();
	int begun[2]; /* a pipe that the loop closes */
	int error;

	if (pipe2(begun, O_CLOEXEC) < 0)
		return -errno;
	*soaker = (struct soaker){ .soaked = soaked, .pid = fork() };
	error = soaker->pid < 0 ? -errno : 0;
	if (!soaker->pid)
		turn(soaked, parent, begun[1]);
	await(begun);
	if (error) {
		soaker->pid = 0;
		return error;
	}
	error = hold_back(soaker->pid, cpu);
	if (error)
		soaker_end(soaker);
	return error;
}

uint64_t soaker_turns(struct soaker *soaker)
{
	volatile uint32_t *turns = &soaker->soaked->turns;
	uint32_t now = *turns;

	soaker->turns += now - soaker->last;
	soaker->last = now;
	return soaker->turns;
}

/* Behind all other work it would die late: on a full CPU after seconds. Only root may do this. */
static void hasten(pid_t pid)
{
	const struct sched_param first = { .sched_priority = 1 };

	(void)!syscall(SYS_sched_setscheduler, pid, SCHED_FIFO, &first);
}

void soaker_end(struct soaker *soaker)
{
	if (!soaker->pid)
		return;
	kill(soaker->pid, SIGKILL);
	hasten(soaker->pid);
	while (waitpid(soaker->pid, NULL, 0) < 0 && errno == EINTR)
		;
	soaker->pid = 0;
}
