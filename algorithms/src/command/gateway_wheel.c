/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wheel entries=TIMERS operation=add|cancel|tick: timers whose delays are below 65 536 ticks. A tick
 * takes what is due, and each of these is started again.
 */
#include "command/gateway.h"
#include "gm/timer_wheel.h"
#include "program/memory.h"
#include "program/record.h"

#include <stdlib.h>

enum { ADD, CANCEL, TICK };
enum { TICKS = 4096 };
static const char *const operations[] = { "add", "cancel", "tick", NULL };

struct wheel {
	struct gateway gateway;
	struct gm_timer_wheel wheel;
	uint32_t *delays;
	uint32_t entries;
};

static void add_pass(void *state)
{
	struct wheel *wheel = state;

	for (uint32_t i = 0; i < wheel->entries; i++)
		gm_timer_wheel_add(&wheel->wheel, i, wheel->delays[i]);
}

static void cancel_all(void *state)
{
	struct wheel *wheel = state;

	for (uint32_t i = 0; i < wheel->entries; i++)
		gm_timer_wheel_cancel(&wheel->wheel, i);
}

/* In an order in which they were not added: delays are at random. */
static void cancel_pass(void *state)
{
	struct wheel *wheel = state;

	for (uint32_t i = 0; i < wheel->entries; i++)
		wheel->gateway.results[i] = (uint32_t)gm_timer_wheel_cancel(
			&wheel->wheel, wheel->delays[i] % wheel->entries);
}

static void tick_pass(void *state)
{
	struct wheel *wheel = state;

	for (uint32_t i = 0; i < TICKS; i++) {
		uint32_t timer, due = 0;

		gm_timer_wheel_tick(&wheel->wheel);
		while ((timer = gm_timer_wheel_due(&wheel->wheel)) != GM_TIMER_NONE) {
			gm_timer_wheel_add(&wheel->wheel, timer, wheel->delays[timer]);
			due++;
		}
		wheel->gateway.results[i] = due;
	}
}

static void start_anew(void *state)
{
	cancel_all(state);
	add_pass(state);
}

static void build(struct wheel *wheel)
{
	struct gm_random random = { 1 };

	if (gm_timer_wheel_init(&wheel->wheel, wheel->entries, 0) < 0)
		fail(1, "no memory for %u timers", wheel->entries);
	wheel->delays = memory_new(wheel->entries, sizeof(*wheel->delays));
	for (uint32_t i = 0; i < wheel->entries; i++)
		wheel->delays[i] = gm_random_below(&random, 65536);
	for (uint32_t i = 0; i < wheel->gateway.count; i++)
		wheel->gateway.results[i] = 0;
}

/* When each timer is due, from now: what adding has brought about. */
static void keep_delays(struct wheel *wheel)
{
	for (uint32_t i = 0; i < wheel->entries; i++)
		wheel->gateway.results[i] = wheel->wheel.timers[i].expires - wheel->wheel.now;
}

int gateway_wheel(struct ask *ask, const char *name)
{
	static void (*const prepares[])(void *) = { cancel_all, start_anew, start_anew };
	static void (*const passes[])(void *) = { add_pass, cancel_pass, tick_pass };
	struct wheel wheel = { .entries = (uint32_t)ask_number(ask, "entries", 1000, 1, 1U << 22) };
	int operation = ask_choice(ask, "operation", operations);
	uint32_t done = operation == TICK ? TICKS : wheel.entries;

	wheel.gateway.bytes = 12ULL * (wheel.entries + 1025ULL);
	if (!gateway_fits(ask, name, wheel.gateway.bytes + 8ULL * wheel.entries))
		return 0;
	gateway_build(&wheel.gateway, ask, done);
	build(&wheel);
	gateway_time(&wheel.gateway, prepares[operation], passes[operation], &wheel, done);
	if (operation == ADD)
		keep_delays(&wheel);
	gateway_record(&wheel.gateway, name, "portable");
	record_text("operation", operations[operation]);
	record_number("entries", wheel.entries);
	gm_timer_wheel_free(&wheel.wheel);
	free(wheel.delays);
	return gateway_end(&wheel.gateway, done);
}
