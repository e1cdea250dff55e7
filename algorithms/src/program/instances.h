/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several instances of a command at the same time, each a process with structures of its own. They
 * build, wait for each other, and are timed together; each prints its own record.
 */
#ifndef GM_PROGRAM_INSTANCES_H
#define GM_PROGRAM_INSTANCES_H

#include "program/ask.h"

/* Runs `command` as instances=N processes (1). Returns the exit code: the worst of all. */
int instances_run(struct ask *ask, int (*command)(struct ask *ask));

/* Waits until all instances are here: a command calls it when all is built, before it is timed. */
void instances_meet(void);

/* The number of this instance, from 0. */
unsigned instances_number(void);

#endif
