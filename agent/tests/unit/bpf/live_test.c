// SPDX-License-Identifier: Apache-2.0
/* How the program in the kernel waits, call by call. */
#include "bpf/live.h"
#include "tests/test.h"

#define AGAIN_NS 20000 /* until it is called again */
#define LEFT_MOST_NS 2000000
#define STEP_NS 997 /* prime: whole parts of what a call waits are no multiples */

/* What the last call waits of so much. */
static uint64_t last_ns(uint64_t left_ns)
{
	for (;;) {
		uint64_t hold_ns = live_hold_ns(left_ns);

		CHECK(hold_ns <= LIVE_HOLD_NS);
		if (hold_ns == left_ns)
			return hold_ns;
		CHECK(left_ns > hold_ns + AGAIN_NS);
		left_ns -= hold_ns + AGAIN_NS;
	}
}

TEST(no_packet_of_the_live_port_is_due_between_two_calls)
{
	for (uint64_t left_ns = LIVE_HOLD_NS + 1; left_ns < LEFT_MOST_NS; left_ns += STEP_NS)
		CHECK(last_ns(left_ns) >= LIVE_HOLD_NS / 2 - AGAIN_NS);
}
