// SPDX-License-Identifier: Apache-2.0
/* Sending on time and receiving meanwhile. */
#include "replay/player.h"
#include "frame/frame.h"
#include "port/socket.h"
#include "time/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOK_NS (10 * NS_PER_MS) /* how often stdin is looked at */
/*
 * Of each wait: see time/pace.c. Packets of a conversation are so far apart that the processor
 * rests between them, and wakes up to 0.5 ms late on a virtual machine.
 */
#define SPIN_NS NS_PER_MS
#define SHARED_SPIN_NS (100 * NS_PER_US) /* beside others, who keep the processor awake */
#define ROOM_NS (200 * NS_PER_US) /* until the next packet, for a look at all else */
#define DOZE_NS (2 * NS_PER_MS) /* a sleep at most: a ring of 16 MiB holds 8192 frames */
#define WARM_NS (30 * NS_PER_US) /* so shortly before, the way of a frame is warmed */
#define ALERT_NS (5 * NS_PER_US) /* so shortly before a packet is due nothing else is begun */
/*
 * What is late by no more at the end is still sent. A virtual machine that others share with it
 * stands still for tenths of a second; what became late by that is in the record, not missing.
 */
#define GRACE_NS NS_PER_S
#define PATIENCE_NS (50 * NS_PER_MS) /* with what the other side sent before, and may be lost */
#define FRAME_LEAST 64

static int no_memory(struct fault *fault)
{
	return fault_system(fault, -ENOMEM, "trace", "the replay");
}

/*
 * Which packet of the other side each packet of TCP answers: the last one of its flow that is due
 * before it.
 */
static void find_answers(struct player *player, uint32_t count, int64_t *last)
{
	const struct trace *trace = player->trace;
	enum way other = player->way == WAY_UP ? WAY_DOWN : WAY_UP;
	uint32_t theirs = 0;

	for (uint32_t i = 0; i < trace->flows; i++)
		last[i] = -1;
	for (uint32_t i = 0; i < count; i++) {
		const struct trace_entry *entry = &trace->entry[player->way][i];

		while (theirs < trace->entries[other] &&
		       trace->entry[other][theirs].due_ns < entry->due_ns) {
			last[trace->entry[other][theirs].flow] = theirs;
			theirs++;
		}
		player->answers[i] =
			trace->flow[entry->flow].protocol == IPPROTO_TCP ? last[entry->flow] : -1;
	}
}

static int hold_open(struct player *player, uint32_t count, struct fault *fault)
{
	uint32_t flows = player->trace->flows;
	int64_t *last = calloc((size_t)flows + 1, sizeof(*last));

	player->held_first = calloc((size_t)flows + 1, sizeof(uint32_t));
	player->held_last = calloc((size_t)flows + 1, sizeof(uint32_t));
	player->held_after = calloc((size_t)count + 1, sizeof(uint32_t));
	player->answers = calloc((size_t)count + 1, sizeof(*player->answers));
	if (!last || !player->held_first || !player->held_last || !player->held_after ||
	    !player->answers) {
		free(last);
		return no_memory(fault);
	}
	for (uint32_t i = 0; i < flows; i++)
		player->held_first[i] = HELD_NONE;
	for (uint32_t i = 0; i < count; i++)
		player->held_after[i] = HELD_NONE;
	find_answers(player, count, last);
	free(last);
	return 0;
}

int player_open(struct player *player, struct fault *fault)
{
	uint32_t count = player->trace->entries[player->way];

	player->tried_by_flow = calloc((size_t)player->trace->flows + 1, sizeof(uint32_t));
	player->sent_ns = calloc((size_t)count + 1, sizeof(*player->sent_ns));
	if (!player->sent_ns || !player->tried_by_flow)
		return no_memory(fault);
	for (uint32_t i = 0; i < count; i++)
		player->sent_ns[i] = SENT_NEVER;
	return hold_open(player, count, fault);
}

void player_close(struct player *player)
{
	free(player->sent_ns);
	free(player->tried_by_flow);
	free(player->held_first);
	free(player->held_last);
	free(player->held_after);
	free(player->answers);
	if (player->fd >= 0)
		close(player->fd);
}

static const struct trace_entry *entry_of(const struct player *player, uint32_t number)
{
	return &player->trace->entry[player->way][number];
}

static void note_sent(struct player *player, uint32_t number, uint64_t now)
{
	const struct trace_entry *entry = entry_of(player, number);
	uint64_t length = entry->bytes + ETHERNET_BYTES + FCS_BYTES;

	histogram_add(&player->late, now - player->t0_ns - entry->due_ns);
	if (player->tried && now - player->last_ns > NS_PER_MS)
		player->gaps_over_1ms++;
	player->last_ns = now;
	player->tried++;
	player->tried_by_flow[entry->flow]++;
	player->bytes += length < FRAME_LEAST ? FRAME_LEAST : length;
}

/* Hands one frame to the device. False if there was no room for it: to be tried again. */
static bool send_frame(struct player *player, uint32_t number)
{
	const struct trace_entry *entry = entry_of(player, number);
	uint8_t *frame = player->frames.bytes + player->frames.at[number];
	struct iovec vector = { .iov_base = frame,
				.iov_len =
					player->frames.at[number + 1] - player->frames.at[number] };
	struct mmsghdr message = { .msg_hdr = { .msg_iov = &vector, .msg_iovlen = 1 } };
	uint64_t refused = player->tally.refused;
	uint64_t now;

	if (player->masked)
		frame_redirect(frame, &player->trace->packet[entry->packet],
			       player->arrive.flow[entry->flow].port);
	now = clock_now();
	if (!socket_send(player->fd, &message, 1, &player->tally))
		return false;
	player->sent_ns[number] = player->tally.refused > refused ? SENT_REFUSED : (int64_t)now;
	note_sent(player, number, now);
	return true;
}

static void hold(struct player *player, uint32_t number)
{
	uint32_t flow = entry_of(player, number)->flow;

	if (player->held_first[flow] == HELD_NONE)
		player->held_first[flow] = number;
	else
		player->held_after[player->held_last[flow]] = number;
	player->held_last[flow] = number;
	player->held++;
	player->waiting++;
}

/* Whether a packet may go: its port is known, and what it answers has come or been waited for. */
static bool may_go(const struct player *player, uint32_t number, uint64_t now)
{
	const struct trace_entry *entry = entry_of(player, number);
	const struct arrive_flow *flow = &player->arrive.flow[entry->flow];

	if (player->masked && !flow->port)
		return false;
	return flow->highest >= player->answers[number] ||
	       now >= player->t0_ns + entry->due_ns + PATIENCE_NS;
}

/* Sends what waited in a flow, as far as it may go and there is room. */
static void release(struct player *player, uint32_t flow)
{
	uint32_t *first = &player->held_first[flow];
	uint64_t now = clock_now();

	while (*first != HELD_NONE && now < player->end_ns && may_go(player, *first, now) &&
	       send_frame(player, *first)) {
		*first = player->held_after[*first];
		player->waiting--;
		now = clock_now();
	}
}

/* A packet that has waited long enough goes anyway. */
static void release_all(struct player *player)
{
	for (uint32_t flow = 0; player->waiting && flow < player->trace->flows; flow++)
		release(player, flow);
}

/* Accounts for a frame if one waits. */
static bool take(struct player *player)
{
	struct arrived frame;
	int64_t flow;

	if (!inlet_look(&player->inlet, &frame))
		return false;
	flow = arrive_add(&player->arrive, &frame);
	inlet_next(&player->inlet);
	if (flow >= 0 && player->held_first[flow] != HELD_NONE)
		release(player, (uint32_t)flow);
	return true;
}

static void tick(struct player *player, uint64_t now)
{
	struct line *line = &player->talk->line;

	line_begin(line, "tick");
	line_count(line, "t_ns", now);
	line_count(line, "tried", player->tried);
	line_count(line, "received", player->arrive.received);
	line_end(line);
	player->tick_ns += player->tick_every_ns;
}

/* Looks up now and then, best where no packet is due soon. True if stdin was closed. */
static bool look_up(struct player *player, uint64_t now, uint64_t due_ns)
{
	bool has_room = due_ns > now + ROOM_NS || now > player->look_ns + LOOK_NS;

	if (now < player->look_ns || !has_room)
		return false;
	player->look_ns = now + LOOK_NS;
	inlet_tune(&player->inlet);
	release_all(player);
	if (player->tick_every_ns && now >= player->tick_ns)
		tick(player, now);
	return talk_over(player->talk);
}

/* Sleeps; where packets wait for an arrival, no longer than until one. */
static void doze(const struct player *player, uint64_t now, uint64_t until_ns)
{
	struct pollfd inlet = { .fd = player->inlet.fd, .events = POLLIN };
	struct timespec timeout = { .tv_nsec = (long)(until_ns - now) };

	if (player->waiting)
		ppoll(&inlet, 1, &timeout, NULL);
	else
		clock_sleep_until(until_ns);
}

/* Whether a packet is due so soon that nothing else is begun; its way is warmed once before. */
static bool is_alert(const struct player *player, uint64_t left_ns, bool *warm)
{
	if (left_ns < ALERT_NS)
		return true;
	if (left_ns < WARM_NS && !*warm) {
		socket_warm(player->fd);
		*warm = true;
	}
	return false;
}

/* Receives until a packet is due. False: to stop. */
static bool wait_due(struct player *player, uint64_t due_ns)
{
	uint64_t spin_ns = player->shared ? SHARED_SPIN_NS : SPIN_NS;
	bool warm = false;

	for (;;) {
		uint64_t now = clock_now();
		uint64_t until;

		if (look_up(player, now, due_ns))
			return false;
		if (now >= due_ns)
			return now < player->end_ns;
		if (is_alert(player, due_ns - now, &warm) || take(player))
			continue;
		if (due_ns - now <= spin_ns)
			continue;
		until = due_ns - spin_ns;
		doze(player, now, until < now + DOZE_NS ? until : now + DOZE_NS);
	}
}

/* Packets of a flow stay in order: behind a packet that waits, all wait. */
static bool must_wait(const struct player *player, uint32_t number)
{
	return player->held_first[entry_of(player, number)->flow] != HELD_NONE ||
	       !may_go(player, number, clock_now());
}

bool player_send(struct player *player)
{
	uint32_t count = player->trace->entries[player->way];
	uint64_t over_ns = player->t0_ns + player->trace->length_ns;
	bool going = true;

	player->look_ns = clock_now();
	player->tick_ns = player->t0_ns + player->tick_every_ns;
	player->end_ns = over_ns + GRACE_NS;
	while (going && player->next < count) {
		going = wait_due(player, player->t0_ns + entry_of(player, player->next)->due_ns);
		if (!going)
			break;
		take(player); /* late or not: the ring has to be emptied */
		if (must_wait(player, player->next))
			hold(player, player->next++);
		else if (send_frame(player, player->next))
			player->next++;
	}
	/* The other side may have more to send, and a flow that is held its port to learn. */
	going = wait_due(player, over_ns);
	/* What waits for an answer that is late, or lost, goes all the same. */
	while (going && player->waiting)
		going = wait_due(player, clock_now() + LOOK_NS);
	player->t1_ns = clock_now();
	if (player->t1_ns > over_ns)
		player->t1_ns = over_ns;
	return !talk_over(player->talk);
}

void player_listen(struct player *player)
{
	while (!talk_over(player->talk)) {
		uint64_t now = clock_now();

		look_up(player, now, UINT64_MAX);
		while (take(player))
			;
		clock_sleep_until(now + NS_PER_MS);
	}
	while (take(player))
		;
	inlet_settle(&player->inlet);
}
