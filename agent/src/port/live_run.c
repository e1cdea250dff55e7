// SPDX-License-Identifier: Apache-2.0
/*
 * Running the live port's program. Each BPF_PROG_TEST_RUN of more than one packet waits twice for
 * an RCU grace period, some 10 to 40 ms in all, since the program goes in and out of XDP's
 * dispatcher (bpf_prog_change_xdp()). So a thread makes one call for all packets and is in the
 * kernel as long as it sends; the agent's own thread looks at stdin meanwhile and at the map that
 * holds how far it is, and interrupts it by a signal at the end. The program itself sets the first
 * due time: the wait before it belongs to no schedule.
 *
 * Where packets are far apart that call would spin all the time. Then the thread sleeps and makes
 * a call for each packet: the dispatcher does not change for a single one. But each call has a page
 * pool of its own, which is freed a second after its packet, and the kernel has numbers for 65 534
 * pools (MEM_ID_MAX). At 5 000 packets/s it ran out of them.
 *
 * In turns the program stays in the dispatcher (live.c), so a call costs no wait, but some 0.1 ms of
 * setting up and a page pool. The thread makes calls as long as its turn lasts, each of about a
 * tenth of it, and sleeps until the next turn. In turns of 2 ms that is 4 000 pools a second of all
 * senders together, which is why turns are not shorter.
 */
#include "count/counters.h"
#include "port/live.h"
#include "time/clock.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Before a due time: how late a sleeper wakes, on a virtual machine up to 0.5 ms, and what a call
 * takes to begin. The first call is often over before the packet is due: then it has at least
 * warmed the way of the next.
 */
#define NEAR_NS (500 * NS_PER_US)

#define APART_NS (2 * NS_PER_MS) /* between packets, from which on each has a call of its own */

#define REPEAT_MOST 0xffff0000u /* a quarter of an hour at 5 M packets/s, then there is a hole */
#define NUDGE_NS NS_PER_MS /* between signals, until the thread has seen one */
#define REPEAT_LEAST 256 /* four batches of the kernel's */
#define TURN_PARTS 10 /* calls of one turn: half of its rest, so that a call may be late by one */

static const uint32_t key_zero;

/* It only has to interrupt: bpf_test_timer_continue() looks for a signal after each batch. */
static void interrupt(int number)
{
	(void)number;
}

static int read_state(const struct live *live, struct live_state *state)
{
	return bpf_map_read(&live->map[LIVE_MAP_STATE], &key_zero, state);
}

static bool has_ended(const struct live *live, const struct live_state *state)
{
	return state->over || state->tried >= live->plan.bound;
}

/* From one burst to the next. */
static uint64_t apart_ns(const struct live_plan *plan)
{
	return (plan->gap_ns > plan->least_gap_ns ? plan->gap_ns : plan->least_gap_ns) *
	       plan->burst;
}

static int run(struct live *live, uint32_t repeat)
{
	const struct bpf_run run = {
		.program = live->program,
		.data = live->frame,
		.data_bytes = live->frame_bytes,
		.repeat = repeat,
		/* A wait that is longer than softirqs should wait would tear a batch apart. */
		.batch = apart_ns(&live->plan) > LIVE_HOLD_NS ? 1 : live->plan.burst,
	};
	int error = bpf_run_live(&run);

	atomic_fetch_add(&live->calls, 1);
	return error == -EINTR ? 0 : error;
}

/* Sleeps until shortly before the next packet. */
static int run_singly(struct live *live)
{
	struct live_state state;
	int error = read_state(live, &state);

	if (!error && state.t0_ns) {
		uint64_t target = state.due_ns > state.earliest_ns ? state.due_ns
								   : state.earliest_ns;

		clock_sleep_until((target < state.end_ns ? target : state.end_ns) - NEAR_NS);
	}
	return error ? error : run(live, 1);
}

/* Calls that together last as long as a part of a turn; how long one takes is seen by the last. */
static uint32_t next_repeat(const struct live *live, uint64_t took_ns)
{
	uint64_t wanted = live->repeat * (live->turn.length_ns / TURN_PARTS) / (took_ns + 1);

	if (wanted < REPEAT_LEAST)
		return REPEAT_LEAST;
	return wanted < 2ull * live->repeat ? (uint32_t)wanted : 2 * live->repeat;
}

/* Sleeps until its turn; at the end of all the program only has to see that it is over. */
static int run_in_turn(struct live *live)
{
	struct live_state state;
	int error = read_state(live, &state);
	uint64_t now = clock_now(), at = turn_from(&live->turn, now);

	if (error)
		return error;
	if (state.t0_ns && at >= state.end_ns)
		at = state.end_ns;
	if (at > now)
		clock_sleep_until(at);
	if (atomic_load(&live->stop))
		return 0;
	if (state.t0_ns && at == state.end_ns)
		return run(live, 1);
	now = clock_now();
	error = run(live, live->repeat);
	live->repeat = next_repeat(live, clock_now() - now);
	return error;
}

static int run_once(struct live *live)
{
	if (live->turn.of)
		return run_in_turn(live);
	if (apart_ns(&live->plan) >= APART_NS && live->plan.burst == 1)
		return run_singly(live);
	return run(live, REPEAT_MOST);
}

static void *send_all(void *argument)
{
	struct live *live = argument;
	struct live_state state;
	int error = 0;

	do {
		error = run_once(live);
		if (!error)
			error = read_state(live, &state);
	} while (!error && !has_ended(live, &state) && !atomic_load(&live->stop));
	live->error = error;
	atomic_store(&live->stopped, true);
	return NULL;
}

/*
 * In a real-time class a thread that spins keeps others of its priority from its CPU. The thread
 * that ends it needs a higher priority. By system calls, since musl's functions return ENOSYS.
 */
static void rise_above(void)
{
	long policy = syscall(SYS_sched_getscheduler, 0);
	struct sched_param own = { 0 };

	if (policy != SCHED_FIFO && policy != SCHED_RR)
		return;
	if (syscall(SYS_sched_getparam, 0, &own) < 0)
		return;
	own.sched_priority++;
	syscall(SYS_sched_setscheduler, 0, policy, &own);
}

/* The sending thread gets no other signal: those of the agent go to the thread that looks. */
static int start_thread(struct live *live)
{
	struct sigaction action = { .sa_handler = interrupt };
	sigset_t all, before;
	int error;

	sigaction(SIGUSR1, &action, NULL);
	sigfillset(&all);
	sigdelset(&all, SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = pthread_create(&live->thread, NULL, send_all, live);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	live->begun = !error;
	rise_above();
	return -error;
}

_Static_assert(LIVE_PAUSES == SPANS_KEPT && sizeof(struct live_pause) == sizeof(struct span),
	       "both sides keep as many pauses, in the same form");
_Static_assert(LIVE_EVEN_NS == PACE_EVEN_NS, "both catch up alike");
_Static_assert(LIVE_TICK_NS == PACE_TICK_NS, "both begin alike");

int live_begin(struct port *port, const struct port_schedule *schedule, struct fault *fault)
{
	static const struct histogram none;
	const struct pace *pace = &schedule->pace;
	struct live *live = port->state;
	struct live_state state = { .place = live->first };
	struct counters counters = { 0 };
	int error;

	live->plan.lasts_ns = schedule->lasts_ns;
	live->plan.bound = schedule->bound;
	live->plan.gap_ns = pace->gap_ns;
	live->plan.gap_fraction = pace->gap_fraction;
	live->plan.after_tick_ns = pace_after_tick(apart_ns(&live->plan), clock_now());
	live->plan.even_gap_ns = pace->even_gap_ns;
	live->plan.least_gap_ns = pace->least_gap_ns;
	live->plan.pause_ns = schedule->turn.of ? UINT64_MAX : schedule->pause_ns;
	live->turn = schedule->turn;
	live->repeat = REPEAT_LEAST;
	error = bpf_map_write(&live->map[LIVE_MAP_PLAN], &key_zero, &live->plan);
	if (!error)
		error = bpf_map_write(&live->map[LIVE_MAP_STATE], &key_zero, &state);
	if (!error)
		error = bpf_map_write(&live->map[LIVE_MAP_LATE], &key_zero, &none);
	if (!error)
		error = counters_read(&counters, live->hop.device.index);
	live->dropped = counters.sent_dropped;
	if (!error)
		error = start_thread(live);
	return error ? fault_system(fault, error, "port", "beginning to send live frames") : 0;
}

static int note_progress(const struct live *live, struct port_progress *progress,
			 struct live_state *state)
{
	int error = read_state(live, state);

	if (error)
		return error;
	progress->tried = state->tried;
	progress->bytes = state->bytes + FCS_BYTES * state->tried;
	if (!state->t0_ns) {
		progress->ended_ns = clock_now();
		return 0;
	}
	progress->t0_ns = state->t0_ns;
	progress->due_ns = state->due_ns;
	progress->ended_ns = state->over ? state->end_ns : state->last_ns;
	progress->gaps_over_1ms = state->gaps_over_1ms;
	return 0;
}

/*
 * What the device dropped meanwhile was refused: a full queue at the other end has no other sign.
 */
static uint64_t read_refused(const struct live *live, const struct port_progress *progress)
{
	uint64_t refused = progress->tally.refused;
	struct counters counters;

	if (counters_read(&counters, live->hop.device.index) == 0)
		refused = counters.sent_dropped - live->dropped;
	return refused > progress->tried ? progress->tried : refused;
}

int live_advance(struct port *port, uint64_t until_ns, struct port_progress *progress,
		 struct fault *fault)
{
	struct live *live = port->state;
	struct live_state state;
	int error;

	if (!atomic_load(&live->stopped))
		clock_sleep_until(until_ns);
	error = note_progress(live, progress, &state);
	progress->tally.refused = read_refused(live, progress);
	if (!error && atomic_load(&live->stopped))
		error = live->error;
	if (error)
		return fault_system(fault, error, "port", "sending live frames");
	return !has_ended(live, &state) && !atomic_load(&live->stopped);
}

/* A signal that comes just before the system call is lost: hence more than one. */
static void stop_thread(struct live *live)
{
	atomic_store(&live->stop, true);
	while (!atomic_load(&live->stopped)) {
		pthread_kill(live->thread, SIGUSR1);
		clock_sleep_until(clock_now() + NUDGE_NS);
	}
	pthread_join(live->thread, NULL);
	live->begun = false;
}

void live_end(struct port *port, struct port_progress *progress)
{
	struct live *live = port->state;
	struct live_state state;

	if (live->begun)
		stop_thread(live);
	note_progress(live, progress, &state);
}

static void read_pauses(const struct live *live, struct spans *pauses)
{
	struct live_state state;

	if (read_state(live, &state))
		return;
	pauses->count = state.pauses;
	pauses->total_ns = state.paused_ns;
	for (uint32_t i = 0; i < LIVE_PAUSES && i < state.pauses; i++)
		bpf_map_read(&live->map[LIVE_MAP_PAUSE], &i, &pauses->first[i]);
}

void live_account(struct port *port, struct port_progress *progress)
{
	struct port_tally *tally = &progress->tally;
	struct live *live = port->state;
	uint64_t refused = read_refused(live, progress);

	*tally = (struct port_tally){ .calls = atomic_load(&live->calls) };
	port_refuse(tally, -ENOBUFS, refused);
	tally->sent = progress->tried - refused;
	bpf_map_read(&live->map[LIVE_MAP_LATE], &key_zero, &progress->late);
	read_pauses(live, &progress->pauses);
}
