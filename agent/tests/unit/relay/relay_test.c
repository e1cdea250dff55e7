// SPDX-License-Identifier: Apache-2.0
/* The thread of a line's way: that it hears, and what a step of the clock does to its frames. */
#include "relay/relay.h"
#include "tests/test.h"
#include "time/clock.h"

#include <linux/if_packet.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define SLOTS 2
#define SLOT_BYTES 256
#define FRAME_AT 128 /* in a slot */
#define FRAME 64
#define STORE_BYTES 4096
#define HEARD_MOST_MS 60000
#define LOOK_MS 5
#define STEP_NS (600 * (int64_t)NS_PER_S)
#define ON_TIME_MS 20000 /* of a machine with other work; less than the step */

/* A way whose ring is a few slots, which are empty. */
static void open_idle(struct relay *relay)
{
	relay_prepare(relay);
	relay->intake.memory = calloc(SLOTS, SLOT_BYTES);
	relay->intake.slot_bytes = SLOT_BYTES;
	relay->intake.slots = SLOTS;
	relay->books = calloc(1, sizeof(*relay->books));
	relay->copy = calloc(1, sizeof(*relay->copy));
	relay->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	relay->answer = eventfd(0, EFD_CLOEXEC);
	CHECK_EQUAL(schedule_open(&relay->schedule, &relay->options, SLOTS), 0);
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

/* A frame in the ring, stamped so long after now. */
static void put_frame(const struct relay *relay, size_t slot, int64_t after_ns)
{
	uint64_t stamp_ns = clock_read(CLOCK_REALTIME) + (uint64_t)after_ns;
	struct tpacket2_hdr *header =
		(struct tpacket2_hdr *)(void *)(relay->intake.memory + slot * SLOT_BYTES);

	*header = (struct tpacket2_hdr){ .tp_status = TP_STATUS_USER,
					 .tp_len = FRAME,
					 .tp_snaplen = FRAME,
					 .tp_mac = FRAME_AT,
					 .tp_sec = (uint32_t)(stamp_ns / NS_PER_S),
					 .tp_nsec = (uint32_t)(stamp_ns % NS_PER_S) };
}

/* As if the clock had been set by so much since it was read last. */
static void set_clock(struct relay *relay, int64_t by_ns)
{
	uint64_t now = clock_now();

	relay->step = (struct step){ .known = true, .read_ns = now };
	relay->step.apart_ns = (int64_t)(clock_read(CLOCK_REALTIME) - now) - by_ns;
}

/* Whether the step was noticed: a look at the clock that other work interrupts says nothing. */
static bool has_stepped(struct relay *relay)
{
	for (int ms = 0; ms < HEARD_MOST_MS; ms += LOOK_MS) {
		relay_ask(relay, RELAY_BOOKS);
		if (relay->copy_stepped_ns > STEP_NS - NS_PER_S)
			return true;
		poll(NULL, 0, LOOK_MS);
	}
	return false;
}

/* Two frames are in the ring when the thread notices the step: both leave at once. */
static void check_leaves_on_time(int64_t step_ns, int64_t first_ns, int64_t second_ns)
{
	struct relay relay = { 0 };
	uint8_t frame[FRAME];
	int ends[2];

	open_idle(&relay);
	CHECK_EQUAL(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	relay.out = ends[0];
	relay.store.memory =
		mmap(NULL, STORE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	relay.store.size = STORE_BYTES;
	put_frame(&relay, 0, first_ns);
	put_frame(&relay, 1, second_ns);
	set_clock(&relay, step_ns);
	CHECK_EQUAL(relay_run(&relay), 0);
	for (int i = 0; i < SLOTS; i++) {
		struct pollfd out = { .fd = ends[1], .events = POLLIN };

		CHECK_EQUAL(poll(&out, 1, ON_TIME_MS), 1);
		recv(ends[1], frame, sizeof(frame), MSG_DONTWAIT);
	}
	CHECK(has_stepped(&relay));
	relay_ask(&relay, RELAY_END);
	close(ends[1]);
	close_idle(&relay);
}

TEST(relay_keeps_no_frame_of_the_clock_before_it_was_set_back)
{
	check_leaves_on_time(-STEP_NS, STEP_NS - (int64_t)NS_PER_MS, -(int64_t)NS_PER_MS);
}

TEST(relay_keeps_no_frame_of_the_clock_after_it_was_set_forward)
{
	check_leaves_on_time(STEP_NS, -STEP_NS - (int64_t)NS_PER_MS, -(int64_t)NS_PER_MS);
}
