// SPDX-License-Identifier: Apache-2.0
/*
 * One way of an emulated access line, in a thread of its own: frames that come to one device leave
 * by another when the schedule says so (line/schedule.h). When the thread looks matters not, since
 * all is reckoned from the kernel's arrival stamps: a frame that leaves late moves no other.
 *
 * The thread sleeps until shortly before a departure, then spins, and sleeps more where that would
 * take too much of its CPU: a thread of a real-time class that takes all of it is held for 50 ms in
 * each second (Documentation/scheduler/sched-rt-group.rst).
 */
#ifndef GM_RELAY_H
#define GM_RELAY_H

#include "line/books.h"
#include "line/schedule.h"
#include "line/store.h"
#include "relay/credit.h"
#include "relay/intake.h"
#include "time/step.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum relay_ask { RELAY_NOTHING, RELAY_BEGIN, RELAY_BOOKS, RELAY_END };

struct relay {
	/* The caller's, before relay_open(). */
	struct device from, to;
	const char *from_key, *to_key;
	struct schedule_options options;
	uint64_t spin_ns;

	/* The thread's alone once it runs. */
	struct intake intake;
	int out; /* a raw socket */
	struct schedule schedule;
	struct store store;
	struct step step;
	struct credit credit;
	struct books *books;
	uint64_t unfinished; /* frames whose checksum was left to a device */

	/* Between the two. */
	atomic_int ask;
	int bell, answer; /* eventfd(2) */
	struct books *copy; /* as RELAY_BOOKS answered */
	uint64_t inside; /* then */
	uint64_t copy_unfinished, copy_stepped_ns;
	int64_t apart_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC, then */
	bool running;
	pthread_t thread;
};

/* Before all else: nothing is open. */
void relay_prepare(struct relay *relay);

/* Takes memory and sockets. Faults on way_key where the buffer or the delay takes too much. */
int relay_open(struct relay *relay, const char *way_key, struct fault *fault);

/* Begins the thread, which has the caller's scheduling class. 0 or -errno. */
int relay_run(struct relay *relay);

/* Asks the thread and waits until it has done so. After RELAY_END it is gone. */
void relay_ask(struct relay *relay, enum relay_ask ask);

void relay_close(struct relay *relay);

#endif
