// SPDX-License-Identifier: Apache-2.0
/*
 * The schedule of one way of an access line: a buffer, a serial line behind it, a fixed delay behind
 * that. It is a function of the frames' arrival times alone, whenever it is asked:
 *
 *	s_i = max(a_i, f_{i-1})		begins to be sent
 *	f_i = s_i + S_i			has been sent; leaves at f_i + D
 *
 * With a course (line/course.h) S_i is the time that its rates take from s_i on, and D is more by
 * what it adds at f_i, or as much as keeps the order.
 *
 * Frame i is refused if as many accepted ones as the buffer holds have s_j > a_i: the one in service
 * does not count. No I/O, no clock; all times are ns of one clock that only goes on. Frames go in
 * order of arrival and come out in the same order, each with what became of it.
 */
#ifndef GM_SCHEDULE_H
#define GM_SCHEDULE_H

#include "line/codel.h"
#include "line/serial.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCHEDULE_NEVER UINT64_MAX

enum aqm {
	AQM_FIFO, /* a full buffer refuses what comes */
	AQM_HEAD, /* a full buffer drops what has waited longest */
	AQM_CODEL, /* RFC 8289; a full buffer refuses what comes */
};

struct schedule_options {
	uint64_t rate_bps; /* 0: a frame takes no time */
	uint64_t buffer_packets; /* that wait; 0: no bound of packets */
	uint64_t buffer_bytes; /* that wait; 0: no bound of bytes */
	uint64_t fixed_ns;
	uint32_t loss_ppb; /* of the frames that were sent, by chance */
	uint64_t seed; /* of that chance */
	enum aqm aqm;
	int32_t overhead_bytes;
	bool atm;
	uint32_t frame_most; /* bytes of a full frame */
	const struct course_step *step; /* NULL: rate and delay stay; the caller's */
	size_t steps;
	uint64_t period_ns;
};

enum fate { FATE_WAITS, FATE_LEAVES, FATE_DROPPED, FATE_LOST };

struct slot {
	uint64_t arrives_ns, starts_ns, leaves_ns; /* starts, leaves: once it does not wait */
	uint64_t busy_ns; /* its time on the line */
	uint64_t place; /* the caller's */
	uint32_t bytes;
	enum fate fate;
};

struct schedule {
	struct schedule_options options;
	struct serial serial;
	struct course course; /* where options.step has one */
	struct codel codel;
	struct slot *slot; /* a ring; its size is a power of two */
	size_t mask;
	size_t first, head, end; /* oldest inside; first that waits; behind the newest */
	uint64_t free_ns; /* f of the last that was started */
	uint64_t left_ns; /* when the last that was started leaves: none passes another */
	uint64_t last_ns; /* the latest arrival */
	uint64_t waiting_bytes;
	uint64_t served; /* which chance is next */
};

/* Room for so many frames inside; 0 or -ENOMEM. */
int schedule_open(struct schedule *schedule, const struct schedule_options *options, size_t frames);
void schedule_close(struct schedule *schedule);

/*
 * A frame arrives; its time is taken as not before the last one's. Starts all that begin to be sent
 * before. False: it is refused by a full buffer.
 */
bool schedule_arrive(struct schedule *schedule, uint64_t arrives_ns, uint32_t bytes,
		     uint64_t place);

static inline bool schedule_full(const struct schedule *schedule)
{
	return schedule->end - schedule->first > schedule->mask;
}

/* Frames that wait, without the one in service. */
static inline size_t schedule_waiting(const struct schedule *schedule)
{
	return schedule->end - schedule->head;
}

/* When the oldest frame inside leaves, if it does; 0: it is known not to; or SCHEDULE_NEVER. */
uint64_t schedule_next(struct schedule *schedule);

/*
 * The oldest frame inside, if it leaves by now_ns or never does; then schedule_release() it. NULL if
 * there is none yet. No frame may arrive later with a time before its start.
 */
const struct slot *schedule_take(struct schedule *schedule, uint64_t now_ns);
void schedule_release(struct schedule *schedule);

/*
 * The course begins now; nothing where there is none.
 */
void schedule_begin(struct schedule *schedule, uint64_t now_ns);

/*
 * The clock was set by so many ns and is now_ns: all times move with it. A frame that was stamped
 * after that, and taken before it was noticed, moves no further than to now.
 */
void schedule_shift(struct schedule *schedule, int64_t by_ns, uint64_t now_ns);

#endif
