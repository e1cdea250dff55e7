// SPDX-License-Identifier: Apache-2.0
/* One way of a line, frame by frame. */
#include "line/schedule.h"
#include "bpf/wraps.h"

#include <errno.h>
#include <stdlib.h>

#define PPB 1000000000ULL

int schedule_open(struct schedule *schedule, const struct schedule_options *options, size_t frames)
{
	size_t size = 2;

	*schedule = (struct schedule){ .options = *options };
	schedule->serial = (struct serial){ .rate_bps = options->rate_bps,
					    .overhead_bytes = options->overhead_bytes,
					    .atm = options->atm };
	codel_begin(&schedule->codel, serial_next(&schedule->serial, 0, options->frame_most),
		    options->frame_most);
	schedule->course = (struct course){ .step = options->step,
					    .steps = options->steps,
					    .period_ns = options->period_ns,
					    .begun_ns = UINT64_MAX };
	if (options->step)
		schedule->serial.course = &schedule->course;
	while (size < frames)
		size *= 2;
	schedule->slot = calloc(size, sizeof(*schedule->slot));
	schedule->mask = size - 1;
	return schedule->slot ? 0 : -ENOMEM;
}

void schedule_close(struct schedule *schedule)
{
	free(schedule->slot);
	schedule->slot = NULL;
}

static struct slot *at(const struct schedule *schedule, size_t number)
{
	return &schedule->slot[number & schedule->mask];
}

/* SplitMix64 (Steele, Lea and Flood, 2014) of the seed and the frame's number on the line. */
WRAPS static uint64_t draw(uint64_t seed, uint64_t number)
{
	uint64_t bits = seed + (number + 1) * UINT64_C(0x9e3779b97f4a7c15);

	bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
	return bits ^ bits >> 31;
}

static bool is_lost(struct schedule *schedule)
{
	uint64_t number = schedule->served++;

	if (!schedule->options.loss_ppb)
		return false;
	return (draw(schedule->options.seed, number) >> 32) * PPB >> 32 <
	       schedule->options.loss_ppb;
}

static uint64_t start_of(const struct schedule *schedule, const struct slot *slot)
{
	return slot->arrives_ns > schedule->free_ns ? slot->arrives_ns : schedule->free_ns;
}

static struct slot *leave_queue(struct schedule *schedule)
{
	struct slot *slot = at(schedule, schedule->head++);

	schedule->waiting_bytes -= slot->bytes;
	return slot;
}

static void drop_head(struct schedule *schedule, uint64_t now_ns)
{
	struct slot *slot = leave_queue(schedule);

	slot->fate = FATE_DROPPED;
	slot->leaves_ns = now_ns;
}

/* When a frame that has been sent then leaves. */
static uint64_t leaves(struct schedule *schedule, uint64_t sent_ns)
{
	uint64_t leaves_ns = sent_ns + schedule->options.fixed_ns;
	uint64_t until_ns;

	if (!schedule->options.step)
		return leaves_ns;
	leaves_ns += course_at(&schedule->course, sent_ns, &until_ns)->fixed_ns;
	return leaves_ns > schedule->left_ns ? leaves_ns : schedule->left_ns;
}

static void serve(struct schedule *schedule, uint64_t starts_ns)
{
	struct slot *slot = leave_queue(schedule);

	if (starts_ns > schedule->free_ns)
		serial_begin(&schedule->serial);
	slot->starts_ns = starts_ns;
	slot->busy_ns = serial_take(&schedule->serial, starts_ns, slot->bytes);
	schedule->free_ns = starts_ns + slot->busy_ns;
	slot->leaves_ns = schedule->left_ns = leaves(schedule, schedule->free_ns);
	slot->fate = is_lost(schedule) ? FATE_LOST : FATE_LEAVES;
}

/* What CoDel drops at this start. */
static void thin(struct schedule *schedule, uint64_t starts_ns)
{
	bool again = false;

	while (schedule->head != schedule->end) {
		const struct slot *slot = at(schedule, schedule->head);

		if (!codel_drops(&schedule->codel, starts_ns, starts_ns - slot->arrives_ns,
				 schedule->waiting_bytes - slot->bytes, again))
			return;
		drop_head(schedule, starts_ns);
		again = true;
	}
	codel_empty(&schedule->codel);
}

/* The next that waits begins to be sent, or CoDel drops all. */
static void start(struct schedule *schedule)
{
	uint64_t starts_ns = start_of(schedule, at(schedule, schedule->head));

	if (schedule->options.aqm == AQM_CODEL)
		thin(schedule, starts_ns);
	if (schedule->head != schedule->end)
		serve(schedule, starts_ns);
}

static void start_until(struct schedule *schedule, uint64_t now_ns)
{
	while (schedule->head != schedule->end &&
	       start_of(schedule, at(schedule, schedule->head)) <= now_ns)
		start(schedule);
}

static bool fits(const struct schedule *schedule, uint32_t bytes)
{
	const struct schedule_options *options = &schedule->options;

	if (options->buffer_packets && schedule_waiting(schedule) >= options->buffer_packets)
		return false;
	return !options->buffer_bytes || schedule->waiting_bytes + bytes <= options->buffer_bytes;
}

bool schedule_arrive(struct schedule *schedule, uint64_t arrives_ns, uint32_t bytes, uint64_t place)
{
	if (arrives_ns > schedule->last_ns)
		schedule->last_ns = arrives_ns;
	arrives_ns = schedule->last_ns;
	start_until(schedule, arrives_ns);
	/* A frame that alone is too long drops nobody else. */
	if (schedule->options.aqm == AQM_HEAD &&
	    (!schedule->options.buffer_bytes || bytes <= schedule->options.buffer_bytes))
		while (schedule->head != schedule->end && !fits(schedule, bytes))
			drop_head(schedule, arrives_ns);
	if (!fits(schedule, bytes))
		return false;
	*at(schedule, schedule->end++) = (struct slot){
		.arrives_ns = arrives_ns,
		.place = place,
		.bytes = bytes,
	};
	schedule->waiting_bytes += bytes;
	start_until(schedule, arrives_ns);
	return true;
}

uint64_t schedule_next(struct schedule *schedule)
{
	const struct slot *slot = at(schedule, schedule->first);
	uint64_t starts_ns;

	if (schedule->first == schedule->end)
		return SCHEDULE_NEVER;
	if (slot->fate == FATE_DROPPED)
		return 0;
	if (slot->fate != FATE_WAITS)
		return slot->leaves_ns;
	starts_ns = start_of(schedule, slot);
	return leaves(schedule, starts_ns + serial_next(&schedule->serial, starts_ns, slot->bytes));
}

const struct slot *schedule_take(struct schedule *schedule, uint64_t now_ns)
{
	if (schedule_next(schedule) > now_ns)
		return NULL;
	/* CoDel may drop it and start another one behind it. */
	if (at(schedule, schedule->first)->fate == FATE_WAITS)
		start(schedule);
	return at(schedule, schedule->first);
}

void schedule_release(struct schedule *schedule)
{
	schedule->first++;
}

void schedule_begin(struct schedule *schedule, uint64_t now_ns)
{
	schedule->course.begun_ns = now_ns;
}

/* A time that is not set stays so. */
WRAPS static void shift(uint64_t *time_ns, int64_t by_ns)
{
	if (*time_ns)
		*time_ns += (uint64_t)by_ns;
}

/* A time of the clock before moves by all of it; one of the new clock, no further than to now. */
static int64_t own_shift(uint64_t past_ns, int64_t by_ns, uint64_t now_ns)
{
	int64_t left_ns = (int64_t)(now_ns - past_ns);

	return by_ns < left_ns ? by_ns : left_ns;
}

void schedule_shift(struct schedule *schedule, int64_t by_ns, uint64_t now_ns)
{
	/* Where nothing that was begun is inside any more, the line was free before now. */
	int64_t line_ns = own_shift(schedule->free_ns, by_ns, now_ns);

	for (size_t number = schedule->first; number != schedule->end; number++) {
		struct slot *slot = at(schedule, number);
		int64_t slot_ns = own_shift(slot->arrives_ns, by_ns, now_ns);

		if (slot->fate == FATE_LEAVES || slot->fate == FATE_LOST)
			line_ns = slot_ns;
		shift(&slot->arrives_ns, slot_ns);
		shift(&slot->starts_ns, slot_ns);
		shift(&slot->leaves_ns, slot_ns);
	}
	shift(&schedule->free_ns, line_ns);
	shift(&schedule->left_ns, line_ns);
	if (schedule->course.begun_ns != UINT64_MAX)
		shift(&schedule->course.begun_ns, by_ns);
	shift(&schedule->last_ns, own_shift(schedule->last_ns, by_ns, now_ns));
	shift(&schedule->codel.first_above_ns, by_ns);
	shift(&schedule->codel.drop_next_ns, by_ns);
}
