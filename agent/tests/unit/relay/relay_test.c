// SPDX-License-Identifier: Apache-2.0
/* The thread of a line's way, which no frame comes to. */
#include "relay/relay.h"
#include "tests/test.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SLOT_BYTES 128
#define HEARD_MOST_MS 10000
#define LOOK_MS 5

/* A way whose ring has one slot, always empty. */
static void open_idle(struct relay *relay)
{
	relay_prepare(relay);
	relay->intake.memory = calloc(1, SLOT_BYTES);
	relay->intake.slots = 1;
	relay->books = calloc(1, sizeof(*relay->books));
	relay->copy = calloc(1, sizeof(*relay->copy));
	relay->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	relay->answer = eventfd(0, EFD_CLOEXEC);
	CHECK_EQUAL(schedule_open(&relay->schedule, &relay->options, 1), 0);
}

/* The memory is no ring of the kernel's, which relay_close() would unmap. */
static void close_idle(struct relay *relay)
{
	free(relay->intake.memory);
	relay->intake.memory = NULL;
	relay_close(relay);
}

static bool is_rung(const struct relay *relay)
{
	struct pollfd bell = { .fd = relay->bell, .events = POLLIN };

	return poll(&bell, 1, 0) > 0;
}

/* As where the thread answers before its bell is rung: it asks for nothing then. */
TEST(relay_hears_a_ring_that_came_after_its_answer)
{
	struct relay relay = { 0 };
	uint64_t rings = 1;

	open_idle(&relay);
	CHECK_EQUAL(write(relay.bell, &rings, sizeof(rings)), sizeof(rings));
	CHECK_EQUAL(relay_run(&relay), 0);
	for (int ms = 0; ms < HEARD_MOST_MS && is_rung(&relay); ms += LOOK_MS)
		poll(NULL, 0, LOOK_MS);
	CHECK(!is_rung(&relay));
	relay_ask(&relay, RELAY_END);
	close_idle(&relay);
}
