// SPDX-License-Identifier: Apache-2.0
/* The phases: opening, a last message over each, crr, and messages over held connections. */
#include "connect/client.h"
#include "connect/crew.h"
#include "time/clock.h"
#include "time/pace.h"

#include <errno.h>
#include <sys/timerfd.h>

#define WAIT_MS 20
#define VERIFY_AHEAD 256

static void measure_begin(struct client *client, uint64_t *cpu_ns)
{
	client_begin(client);
	client->t0_ns = client->now_ns;
	*cpu_ns = clock_cpu();
}

static void measure_end(struct client *client, uint64_t cpu_ns)
{
	client->t1_ns = clock_now();
	client->cpu_ns = clock_cpu() - cpu_ns;
}

/* Why no more connections are to be opened, if there is a reason. */
static enum stop look_opening(struct client *client)
{
	const struct client_options *options = &client->options;

	if (client_look(client))
		return STOP_TOLD;
	if (client->failures)
		return STOP_FAILED;
	if (client->begun == options->connections)
		return STOP_CONNECTIONS;
	return client->now_ns >= client->until_ns ? STOP_TIME : STOP_NONE;
}

/*
 * RFC 3511 section 5.2 and the study cited as D15: one after the other until one fails; `ahead` of
 * them are on their way together. When one has failed, those on their way are still waited for.
 */
void opening_run(struct client *client)
{
	uint64_t cpu_ns;

	client->opening = true;
	client->forward = true;
	client->timed = true;
	measure_begin(client, &cpu_ns);
	while (!client->stop || client->flying) {
		while (!client->stop && client->flying < client->options.ahead) {
			unsigned int at = (unsigned int)client->begun;

			client->high = at + 1;
			conn_begin(client, at, client->options.base + at);
			client->stop = look_opening(client);
		}
		client_poll(client, WAIT_MS);
		if (client_look(client) && client->stop == STOP_TOLD)
			break;
		if (client->failures && (!client->stop || client->stop == STOP_CONNECTIONS))
			client->stop = STOP_FAILED;
	}
	measure_end(client, cpu_ns);
	client->memory_bytes = memory_used();
	client->opening = false;
	client->forward = false;
	client->timed = false;
	client->open_t0_ns = client->t0_ns;
	client->open_t1_ns = client->t1_ns;
}

/* An answer now proves that both ends and the gateway still hold the connection. */
void verify_run(struct client *client)
{
	uint64_t asked = client->asked;
	uint64_t answered = client->answered;

	client_begin(client);
	client->forward = true;
	client->low = client->high = 0;
	while (client->high < client->begun || client->flying) {
		while (client->high < client->begun && client->flying < VERIFY_AHEAD)
			client->verify_asked += conn_ask(client, client->high++);
		client_poll(client, client->flying ? WAIT_MS : 0);
		if (client_look(client))
			break;
	}
	client->verified = client->answered - answered;
	client->asked = asked; /* what was asked before is reported separately */
	client->answered = answered;
}

void crr_run(struct client *client)
{
	uint64_t end_ns, cpu_ns;

	client->timed = true;
	measure_begin(client, &cpu_ns);
	client->rate.t0_ns = client->t0_ns;
	client->high = client->options.connections;
	end_ns = client->t0_ns + client->options.duration_ns;
	while (client->now_ns < end_ns && !client_look(client)) {
		for (unsigned int tries = client->spares; tries && client->spares; tries--)
			conn_begin(client, client->spare[--client->spares], client->begun);
		client_poll(client, WAIT_MS);
	}
	client->stop = client->now_ns < end_ns ? STOP_TOLD : STOP_TIME;
	measure_end(client, cpu_ns);
}

/* Messages that are due go round robin; a message whose connection is gone counts as tried. */
static void ask_due(struct client *client, struct pace *pace, uint64_t end_ns, unsigned int *next)
{
	client->now_ns = clock_now();
	while (pace_target(pace) <= client->now_ns && client->now_ns < end_ns) {
		histogram_add(&client->late_ns, client->now_ns - pace->due_ns);
		if (!conn_ask(client, *next))
			client->asked++;
		*next = *next + 1 < client->begun ? *next + 1 : 0;
		pace_step(pace, 1, client->now_ns);
		client->now_ns = clock_now();
	}
}

static int set_timer(const struct client *client, uint64_t time_ns)
{
	struct itimerspec at = { .it_value = { .tv_sec = (time_t)(time_ns / NS_PER_S),
					       .tv_nsec = (long)(time_ns % NS_PER_S) } };

	return timerfd_settime(client->timer, TFD_TIMER_ABSTIME, &at, NULL) < 0 ? -errno : 0;
}

static void keep_active(struct client *client, uint64_t end_ns)
{
	struct pace pace;
	unsigned int next = 0;

	clock_sharpen();
	pace_begin(&pace, client->t0_ns, client->options.active_pps, 0);
	/* Late messages go at once: over so many connections they are no burst for any of them. */
	pace.even_gap_ns = 0;
	pace.least_gap_ns = 0;
	client->scheduled = pace_scheduled(client->options.active_pps, end_ns - client->t0_ns);
	while (client->now_ns < end_ns && !client_look(client)) {
		ask_due(client, &pace, end_ns, &next);
		set_timer(client, pace_target(&pace) < end_ns ? pace_target(&pace) : end_ns);
		client_poll(client, WAIT_MS);
	}
}

static void keep_idle(struct client *client, uint64_t end_ns)
{
	while (client->now_ns < end_ns && !client_look(client))
		client_poll(client, WAIT_MS);
}

void hold_run(struct client *client)
{
	uint64_t end_ns, cpu_ns;

	client->asked = client->answered = 0;
	client->echo_ns = (struct histogram){ 0 };
	client->timed = true;
	measure_begin(client, &cpu_ns);
	client->low = 0;
	end_ns = client->t0_ns + client->options.duration_ns;
	if (client->options.active_pps > 0 && client->begun)
		keep_active(client, end_ns);
	else
		keep_idle(client, end_ns);
	measure_end(client, cpu_ns);
	while (client->flying && !client_look(client)) /* what waits for its answer, in time */
		client_poll(client, WAIT_MS);
	client->timed = false;
}
