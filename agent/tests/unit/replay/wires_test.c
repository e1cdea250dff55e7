// SPDX-License-Identifier: Apache-2.0
/* Each flow has its own port or the next free one, in few looks however alike the flows are. */
#include "replay/wires.h"
#include "tests/test.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define PORTS 65536u
#define FIRST 1024u /* the first port of those that are given in place of another */

/* The rule, a look at each port. */
static uint16_t next_free(bool *taken, uint16_t port)
{
	while (taken[port])
		port = (uint16_t)(port < FIRST || port == PORTS - 1 ? FIRST : port + 1u);
	taken[port] = true;
	return port;
}

static bool taken[PORTS];

TEST(a_port_that_is_taken_leads_to_the_next_free_one)
{
	struct wires wires;
	uint32_t chance = 1;

	memset(taken, 0, sizeof(taken));
	CHECK_EQUAL(wires_open(&wires, 6000), 0);
	for (int i = 0; i < 6000; i++) {
		struct wire wire = { .far_port = 53, .protocol = 17 };

		chance = chance * 1103515245u + 12345;
		wire.lan_port = (uint16_t)(chance >> 16);
		if (i % 2) /* crowds at the ends, where the search goes round */
			wire.lan_port = (uint16_t)(i % 4 == 1 ? 65000 + wire.lan_port % 536
							      : wire.lan_port % 1100);
		chance++;
		CHECK_EQUAL(next_free(taken, wire.lan_port),
			    wires_take(&wires, &wire) == 0 ? wire.lan_port : -1);
	}
	wires_close(&wires);
}

TEST(flows_that_differ_elsewhere_keep_their_ports)
{
	struct wire wire[] = {
		{ .client = 1, .lan_port = 9, .far_port = 53, .protocol = 17 },
		{ .client = 2, .lan_port = 9, .far_port = 53, .protocol = 17 },
		{ .client = 1, .lan_port = 9, .far_port = 54, .protocol = 17 },
		{ .client = 1, .lan_port = 9, .far_port = 53, .protocol = 6 },
	};
	struct wires wires;

	CHECK_EQUAL(wires_open(&wires, 4), 0);
	for (int i = 0; i < 4; i++) {
		CHECK_EQUAL(wires_take(&wires, &wire[i]), 0);
		CHECK_EQUAL(wire[i].lan_port, 9);
	}
	wires_close(&wires);
}

TEST(many_alike_flows_take_a_few_looks_each)
{
	const uint32_t flows = PORTS - FIRST;
	struct wire wire;
	struct wires wires;

	CHECK_EQUAL(wires_open(&wires, flows + 1), 0);
	for (uint32_t i = 0; i < flows; i++) {
		wire = (struct wire){ .lan_port = 5000, .far_port = 53, .protocol = 17 };
		if (wires_take(&wires, &wire))
			break;
	}
	CHECK_EQUAL(wires.taken.count, flows);
	CHECK(wires.looks < 20 * (uint64_t)flows);
	wire.lan_port = 5000;
	CHECK_EQUAL(wires_take(&wires, &wire), -EADDRINUSE);
	wires_close(&wires);
}
