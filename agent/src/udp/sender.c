// SPDX-License-Identifier: Apache-2.0
/*
 * The sender's loop. The clock is read once a burst (the waiting's last look is the packets'
 * stamp), stdin is looked at every 10 ms.
 */
#include "udp/sender.h"
#include "port/hop.h"
#include "time/clock.h"

#define LOOK_NS (10 * NS_PER_MS) /* how often stdin is looked at */
#define LEAD_NS NS_PER_MS /* between the start event and the first packet */
#define PAUSE_NS (2 * NS_PER_MS) /* a pause is longer, and than two gaps of the schedule */

static bool paced(const struct sender *sender)
{
	return sender->options.rate_pps > 0;
}

static void plan(struct sender *sender)
{
	const struct sender_options *options = &sender->options;
	uint64_t t0_ns = pace_first(clock_now() + LEAD_NS, options->rate_pps, options->burst);

	sender->done.t0_ns = t0_ns;
	sender->end_ns = t0_ns + options->duration_ns;
	sender->bound = options->packets ? options->packets : UINT64_MAX;
	if (paced(sender)) {
		sender->scheduled = pace_scheduled(options->rate_pps, options->duration_ns);
		if (sender->scheduled > sender->bound)
			sender->scheduled = sender->bound;
		sender->bound = sender->scheduled;
		sender->end_ns += PACE_EVEN_NS;
	}
	pace_begin(&sender->pace, t0_ns, options->rate_pps, options->cap_pps);
	sender->pause_ns = pace_longest(&sender->pace, options->burst, PAUSE_NS);
	order_begin(&sender->order, &sender->place, options->seed, options->flows);
	sending_begin(&sender->sending, t0_ns);
	sender->look_ns = t0_ns;
	sender->tick_ns = options->tick_ns ? t0_ns + options->tick_ns : UINT64_MAX;
	sender->last_ns = t0_ns;
}

static uint16_t port_of(const struct integers *list, uint32_t flow)
{
	return (uint16_t)list->item[list->count > 1 ? flow : 0];
}

static void stage(struct sender *sender, struct packet *packet)
{
	const struct sender_options *options = &sender->options;
	uint32_t flow = sender->place.flow;

	packet->frame_bytes = (uint32_t)options->frame_bytes.item[sender->size];
	packet->source_port = port_of(&options->source_ports, flow);
	packet->destination_port = port_of(&options->destination_ports, flow);
	packet->source_step = hop_step(flow, options->source_count);
	packet->destination_step = hop_step(flow, options->destination_count);
	packet->header.run = options->run;
	packet->header.flow = flow;
	packet->header.sequence = sender->place.number;
	if (++sender->size == options->frame_bytes.count)
		sender->size = 0;
	order_next(&sender->order, &sender->place);
}

static unsigned int stage_burst(struct sender *sender)
{
	uint64_t left = sender->bound - sender->done.tried;
	unsigned int count = left < sender->options.burst ? (unsigned int)left
							  : sender->options.burst;

	for (unsigned int i = 0; i < count; i++)
		stage(sender, &sender->staged[i]);
	return count;
}

static void tick(struct sender *sender, uint64_t now)
{
	struct line *line = &sender->talk->line;

	if (sender->port.kind->account)
		sender->port.kind->account(&sender->port, &sender->done);
	line_begin(line, "tick");
	line_count(line, "t_ns", now);
	line_count(line, "tried", sender->done.tried);
	line_count(line, "refused", sender->done.tally.refused);
	line_end(line);
	sender->tick_ns += sender->options.tick_ns;
}

/* Looks at stdin and reports, when it is time to. True if sending has to stop. */
static bool look_up(struct sender *sender, uint64_t now)
{
	if (now < sender->look_ns)
		return false;
	sender->look_ns = now + LOOK_NS;
	if (now >= sender->tick_ns)
		tick(sender, now);
	return talk_over(sender->talk);
}

/*
 * Waits until the next packet should go, in steps that let stdin be looked at. A sender that
 * rests looks when it wakes for a packet, and wakes for nothing else.
 */
static bool wait_due(struct sender *sender, uint64_t *now)
{
	uint64_t target = pace_target(&sender->pace);

	for (;;) {
		bool rests = sender->options.rests;
		uint64_t until = rests || target < sender->look_ns ? target : sender->look_ns;

		*now = rests ? pace_sleep(until) : pace_wait(until);
		if (*now >= sender->end_ns || look_up(sender, *now))
			return false;
		if (*now < target)
			continue;
		target = turn_from(&sender->options.turn, *now);
		if (target == *now)
			return true;
	}
}

/* It was due, and the port would have been asked: in turns others send meanwhile. */
static void note_pause(struct sender *sender, uint64_t now)
{
	uint64_t since = pace_target(&sender->pace);

	if (since < sender->asked_ns)
		since = sender->asked_ns;
	if (now - since > sender->pause_ns && !sender->options.turn.of)
		spans_add(&sender->done.pauses, since, now - since);
}

static void note_time(struct sender *sender, uint64_t now)
{
	if (paced(sender))
		histogram_add(&sender->done.late, now - sender->pace.due_ns);
	if (now - sender->last_ns > NS_PER_MS)
		sender->done.gaps_over_1ms++;
	sender->last_ns = now;
}

/* Hands over a burst, however often the port wants to be called. False: to stop. */
static bool send_burst(struct sender *sender, unsigned int count)
{
	struct port_tally *tally = &sender->done.tally;
	unsigned int done = 0;

	while (done < count) {
		struct packet *packets = &sender->staged[done];
		uint64_t refused = tally->refused;
		unsigned int taken;
		uint64_t now;

		if (!wait_due(sender, &now))
			return false;
		for (unsigned int i = done; i < count; i++)
			sender->staged[i].header.time_ns = now;
		note_pause(sender, now);
		taken = sender->port.kind->send(&sender->port, packets, count - done, tally);
		sender->asked_ns = now;
		if (!taken)
			continue;
		note_time(sender, now);
		pace_step(&sender->pace, taken, now);
		for (unsigned int i = 0; i < taken; i++)
			sender->done.bytes += packets[i].frame_bytes;
		sender->done.tried += taken;
		sending_add(&sender->sending, now, taken, tally->refused - refused);
		done += taken;
	}
	return true;
}

/* When what was sent until now may have begun: at the last look, in turns in its own turn. */
static uint64_t turn_since(const struct sender *sender, uint64_t now)
{
	const struct turn *turn = &sender->options.turn;
	uint64_t begun;

	if (turn->of < 2)
		return sender->asked_ns;
	begun = now - (now - turn->at * turn->length_ns) % (turn->of * turn->length_ns);
	return begun > sender->asked_ns ? begun : sender->asked_ns;
}

/* What was done since the last look goes into the bins of the time since. */
static void note_sending(struct sender *sender)
{
	const struct port_progress *done = &sender->done;
	const struct sending_bin all = { done->tried, done->tally.refused };

	if (sender->sending.t0_ns != done->t0_ns) {
		sending_begin(&sender->sending, done->t0_ns);
		sender->asked_ns = done->t0_ns;
	}
	sending_spread(&sender->sending, turn_since(sender, done->ended_ns), done->ended_ns, &all);
	sender->asked_ns = done->ended_ns;
}

/* The port only sends: the schedule is kept here. */
static void push(struct sender *sender)
{
	while (sender->done.tried < sender->bound)
		if (!send_burst(sender, stage_burst(sender)))
			break;
	sender->done.due_ns = sender->pace.due_ns;
	sender->done.ended_ns = clock_now();
	if (sender->port.kind->end)
		sender->port.kind->end(&sender->port, &sender->done);
	note_sending(sender);
}

/* The port keeps the schedule: it is asked often enough for stdin to be looked at. */
static int watch_over(struct sender *sender, struct fault *fault)
{
	const struct port_kind *kind = sender->port.kind;
	const struct port_schedule schedule = {
		.pace = sender->pace,
		.bound = sender->bound,
		.pause_ns = sender->pause_ns,
		.lasts_ns = sender->end_ns - sender->done.t0_ns,
		.turn = sender->options.turn,
	};
	int error = kind->begin(&sender->port, &schedule, fault);
	int goes_on = 1;

	if (error)
		return error;
	while (goes_on > 0 && !look_up(sender, clock_now())) {
		goes_on = kind->advance(&sender->port, sender->look_ns, &sender->done, fault);
		note_sending(sender);
	}
	kind->end(&sender->port, &sender->done);
	kind->account(&sender->port, &sender->done);
	note_sending(sender);
	return goes_on < 0 ? goes_on : 0;
}

int sender_run(struct sender *sender, struct fault *fault)
{
	const struct port_progress *done = &sender->done;
	int error = 0;

	plan(sender);
	if (sender->port.kind->advance)
		error = watch_over(sender, fault);
	else
		push(sender);
	/*
	 * A schedule that was kept ends when the next packet would be due, not with the last one.
	 */
	sender->t1_ns = done->ended_ns;
	if (paced(sender) && done->tried == sender->scheduled && sender->t1_ns < done->due_ns)
		sender->t1_ns = done->due_ns;
	return error;
}
