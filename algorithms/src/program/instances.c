/* SPDX-License-Identifier: Apache-2.0 */
#include "program/instances.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSTANCES = 64 };

static unsigned number;
static int arrived[2] = { -1, -1 }; /* each instance writes a byte when it has built */
static int released[2] = { -1, -1 }; /* closed when all have: a read then ends */

unsigned instances_number(void)
{
	return number;
}

void instances_meet(void)
{
	char byte = 0;

	if (arrived[1] < 0)
		return;
	if (write(arrived[1], &byte, 1) != 1)
		fail(1, "an instance cannot tell that it is ready");
	close(arrived[1]);
	if (read(released[0], &byte, 1) != 0)
		fail(1, "an instance was not released");
}

static int child(struct ask *ask, int (*command)(struct ask *ask))
{
	static char buffer[1 << 16];

	/* One write a record: the lines of several instances do not mix. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	close(arrived[0]);
	close(released[1]);
	return command(ask);
}

static int ended_worst(unsigned count)
{
	int worst = 0;

	for (unsigned i = 0; i < count; i++) {
		int status = 0;
		int code;

		wait(&status);
		code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		worst = code > worst ? code : worst;
	}
	return worst;
}

int instances_run(struct ask *ask, int (*command)(struct ask *ask))
{
	unsigned count = (unsigned)ask_number(ask, "instances", 1, 1, INSTANCES);
	char byte;

	if (count == 1)
		return command(ask);
	if (pipe(arrived) || pipe(released))
		fail(1, "no pipe");
	for (number = 0; number < count; number++) {
		pid_t pid = fork();

		if (pid < 0)
			fail(1, "no process for instance %u", number);
		if (pid == 0)
			exit(child(ask, command));
	}
	close(arrived[1]);
	close(released[0]);
	/* An instance that fails closes its end, so this ends even if not all arrive. */
	for (unsigned i = 0; i < count; i++) {
		if (read(arrived[0], &byte, 1) != 1)
			break;
	}
	close(released[1]);
	return ended_worst(count);
}
