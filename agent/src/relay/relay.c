// SPDX-License-Identifier: Apache-2.0
/* The loop of one way: look, reckon, send, wait. */
#include "relay/relay.h"
#include "time/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLEEP_MOST_NS (2 * NS_PER_MS) /* while frames are inside: the ring must not fill */
#define NAP_NS (100 * NS_PER_US) /* in a load that would take all of the CPU */
#define IDLE_MOST_NS NS_PER_S /* the clock is looked at once a second */

/* A time of CLOCK_REALTIME; a step of that clock moves the schedule with it. */
static uint64_t read_clock(struct relay *relay)
{
	uint64_t before = clock_now();
	uint64_t real = clock_read(CLOCK_REALTIME);
	int64_t by_ns = step_look(&relay->step, before, real, clock_now());

	if (by_ns)
		schedule_shift(&relay->schedule, by_ns, real);
	return real;
}

static void take_in(struct relay *relay, const struct intake_frame *frame)
{
	uint64_t place = STORE_NONE;

	relay->unfinished += frame->unfinished;
	if (frame->whole && !schedule_full(&relay->schedule))
		place = store_put(&relay->store, frame->length);
	if (place == STORE_NONE) {
		books_refuse(relay->books, 1);
		return;
	}
	if (schedule_arrive(&relay->schedule, frame->stamp_ns, frame->length, place)) {
		intake_copy(frame, store_at(&relay->store, place));
		books_accept(relay->books, &relay->schedule);
		return;
	}
	store_take_back(&relay->store, place);
	books_drop(relay->books, frame->stamp_ns, frame->length);
}

/*
 * All that came, in order. Returns the time up to which all was seen: now_ns, or a later reading. A
 * frame of a later stamp came since, or the clock was set: that is looked at before it is taken. One
 * that is stamped later still waited while the clock was set back: it comes now.
 */
static uint64_t look(struct relay *relay, uint64_t now_ns)
{
	struct intake_frame frame;

	while (intake_look(&relay->intake, &frame)) {
		if (frame.stamp_ns > now_ns)
			now_ns = read_clock(relay);
		if (frame.stamp_ns > now_ns)
			frame.stamp_ns = now_ns;
		take_in(relay, &frame);
		intake_next(&relay->intake);
	}
	return now_ns;
}

static bool send_out(const struct relay *relay, const struct slot *slot)
{
	const uint8_t *frame = store_at(&relay->store, slot->place);

	return send(relay->out, frame, slot->bytes, MSG_DONTWAIT) == (ssize_t)slot->bytes;
}

/* All that is due by a time up to which all arrivals were seen. */
static void send_due(struct relay *relay, uint64_t until_ns)
{
	const struct slot *slot;

	while ((slot = schedule_take(&relay->schedule, until_ns))) {
		bool sent = slot->fate == FATE_LEAVES && send_out(relay, slot);
		uint64_t now = sent ? clock_read(CLOCK_REALTIME) : 0;

		books_leave(relay->books, slot, sent,
			    now > slot->leaves_ns ? now - slot->leaves_ns : 0);
		store_release(&relay->store, slot->place, slot->bytes);
		schedule_release(&relay->schedule);
	}
}

/* An eventfd holds one that is not heard yet: neither call can fail for long. */
static void ring(int fd)
{
	uint64_t rings = 1;

	while (write(fd, &rings, sizeof(rings)) < 0 && errno == EINTR)
		;
}

static void hear(int fd)
{
	uint64_t rung;

	while (read(fd, &rung, sizeof(rung)) < 0 && errno == EINTR)
		;
}

/* Sleeps so long at most, until it is asked, or until a frame comes if `frames`. */
static void sleep_for(struct relay *relay, uint64_t ns, bool frames)
{
	struct pollfd wake[] = { { .fd = relay->bell, .events = POLLIN },
				 { .fd = relay->intake.fd, .events = POLLIN } };
	struct timespec most = { .tv_sec = (time_t)(ns / NS_PER_S),
				 .tv_nsec = (long)(ns % NS_PER_S) };

	credit_spend(&relay->credit, clock_now());
	ppoll(wake, frames ? 2 : 1, &most, NULL);
	/* Here, as the ring may come after its answer, and no later sleep would last. */
	if (wake[0].revents & POLLIN)
		hear(relay->bell);
	credit_earn(&relay->credit, clock_now());
}

static void wait_for(struct relay *relay, uint64_t now_ns)
{
	uint64_t next_ns = schedule_next(&relay->schedule);
	uint64_t left_ns, spin_ns;

	if (next_ns == SCHEDULE_NEVER) {
		sleep_for(relay, IDLE_MOST_NS, true);
		return;
	}
	credit_spend(&relay->credit, clock_now());
	if (credit_is_out(&relay->credit)) {
		sleep_for(relay, NAP_NS, false);
		return;
	}
	if (next_ns <= now_ns)
		return;
	left_ns = next_ns - now_ns;
	spin_ns = credit_spin(&relay->credit, relay->spin_ns);
	if (left_ns <= spin_ns)
		return;
	left_ns -= spin_ns;
	sleep_for(relay, left_ns < SLEEP_MOST_NS ? left_ns : SLEEP_MOST_NS, false);
}

static uint64_t inside(const struct relay *relay)
{
	return relay->schedule.end - relay->schedule.first;
}

static void copy_books(struct relay *relay)
{
	books_refuse(relay->books, intake_dropped(&relay->intake));
	memcpy(relay->copy, relay->books, sizeof(*relay->copy));
	relay->inside = inside(relay);
	relay->copy_unfinished = relay->unfinished;
	relay->copy_stepped_ns = relay->step.stepped_ns;
	relay->apart_ns = relay->step.apart_ns;
}

static void begin_books(struct relay *relay)
{
	intake_dropped(&relay->intake);
	books_begin(relay->books, inside(relay));
	relay->unfinished = 0;
	relay->step.stepped_ns = 0;
	schedule_begin(&relay->schedule, read_clock(relay));
}

/* What is asked, once all that came before was seen. False: to end. */
static bool obey(struct relay *relay)
{
	enum relay_ask ask = (enum relay_ask)atomic_load(&relay->ask);

	if (ask == RELAY_NOTHING)
		return true;
	if (ask == RELAY_BEGIN)
		begin_books(relay);
	else
		copy_books(relay);
	atomic_store(&relay->ask, RELAY_NOTHING);
	ring(relay->answer);
	return ask != RELAY_END;
}

static void *run(void *argument)
{
	struct relay *relay = argument;
	uint64_t now;

	clock_sharpen();
	relay->credit = (struct credit){ .ns = CREDIT_MOST_NS, .since_ns = clock_now() };
	do {
		now = look(relay, read_clock(relay));
		send_due(relay, now);
		wait_for(relay, now);
	} while (obey(relay));
	return NULL;
}

int relay_run(struct relay *relay)
{
	sigset_t all, before;
	int error;

	/* Signals of the agent go to the thread that talks. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&relay->thread, NULL, run, relay);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	relay->running = !error;
	return -error;
}

void relay_ask(struct relay *relay, enum relay_ask ask)
{
	atomic_store(&relay->ask, ask);
	ring(relay->bell);
	hear(relay->answer);
	if (ask == RELAY_END)
		pthread_join(relay->thread, NULL);
	if (ask == RELAY_END)
		relay->running = false;
}
