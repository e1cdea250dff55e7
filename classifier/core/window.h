// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * What is kept of a flow until its window is full, in two forms. Behind either stand 8 bytes of what
 * its payloads' headers say (feature/header.h), where a model asks for them.
 *
 * struct jumping: sums, read and reset at every window's end; 80 bytes, of which a model without
 * skype needs the first 72. Sums that no attribute of the model asks for are not kept (enum keeps).
 * Sums of at most WINDOW_MOST packets fill the bits that they have.
 *
 * struct sliding: the last packets themselves, read at every packet.
 */
#ifndef GM_WINDOW_H
#define GM_WINDOW_H

#include "classifier/core/feature/header.h"
#include "classifier/core/view.h"

#define SLIDING_MOST 24 /* packets of a sliding window */
#define GAP_NONE 0xffffff /* no packet of this direction came yet */

/*
 * The flow's last packet, and the tree's results in a row (confirm.h). `undecided`: no decision is
 * kept of the flow, so that its packets need not be looked up among decisions.
 */
struct pulse {
	__u64 last_us : 47, undecided : 1, result : 8, run : 8;
};

/* Of a direction: 32 bytes. */
struct side {
	__u64 length_sum : 21, length_squares : 37, packets : 6;
	__u64 interval_squares : 51, interval_most_high : 13;
	__u64 interval_sum : 28, interval_least : 23, interval_most_low : 10;
	__u64 lone : 1; /* the first packet of the window is the first of its direction at all */
	__u16 length_least, length_most;
	__u32 gap : 24; /* us from the direction's last packet to the flow's last packet */
	__u32 past : 8; /* of the first side: a window of the flow is over */
};

struct jumping {
	struct pulse pulse;
	struct side side[WAYS];
	__u32 swings;
	__u16 before
		[2]; /* lengths of the last packet of the window and of the one before; 0: none */
};

#define JUMPING_BYTES (sizeof(struct pulse) + WAYS * sizeof(struct side)) /* without swings */

/* What a model asks for, beside intervals and numbers of packets. */
enum keeps {
	KEEPS_LENGTHS = 1,
	KEEPS_SWINGS = 2, /* of lengths, for skype */
	KEEPS_HEADERS = 4, /* struct hints, behind the window */
	KEEPS_ALL = KEEPS_LENGTHS | KEEPS_SWINGS | KEEPS_HEADERS,
};

struct sliding {
	struct pulse pulse;
	__u32 gap_up : 24, seen : 8; /* packets, up to the window's size */
	__u32 gap_down : 24, next : 8; /* place of the next packet */
	/* us, or GAP_NONE; SLIDING_DOWN is set for one down, and its hint in between. */
	__u32 interval[SLIDING_MOST];
	__u16 length[SLIDING_MOST];
};

#define SLIDING_DOWN 0x80000000u
#define SLIDING_HINT 24 /* bits below it are the interval; two from it on are enum hint */

#define WINDOW_BYTES_MOST (sizeof(struct sliding) + sizeof(struct hints))

/* A packet as a window takes it. */
struct moment {
	__u64 time_us;
	__u32 length; /* bytes of the IP packet */
	__u32 way;
};

/* What adding a packet showed. */
struct added {
	__u32 full; /* the window may be read */
	__u32 interval; /* us; GAP_NONE: the first of its direction */
	__u32 new; /* the flow's first window is not over */
	__u32 passed; /* bytes of the flow before this packet that no guard has counted (rest.h) */
};

/* Bytes that are kept of a flow. */
SHARED __u32 window_bytes(int slides, __u32 keeps)
{
	__u32 bytes = slides		     ? sizeof(struct sliding)
		      : keeps & KEEPS_SWINGS ? sizeof(struct jumping)
					     : (__u32)JUMPING_BYTES;

	return bytes + (keeps & KEEPS_HEADERS ? (__u32)sizeof(struct hints) : 0);
}

/* The last of them. */
SHARED struct hints *window_hints(struct pulse *flow, int slides, __u32 keeps)
{
	return (void *)((char *)flow + window_bytes(slides, keeps) - sizeof(struct hints));
}

#define TIME_MASK 0x7fffffffffffull /* 47 bits of us: four years */

/* What is not known of a flow that is new here: a decision may have outlived its window. */
SHARED void pulse_begin(struct pulse *pulse, __u64 time_us)
{
	pulse->last_us = time_us & TIME_MASK;
	pulse->undecided = 0;
	pulse->result = pulse->run = 0;
}

/* Time does not run backwards: a packet that is older than the last came with it. */
SHARED __u32 window_elapsed(struct pulse *pulse, __u64 time_us)
{
	__u64 elapsed = (time_us - pulse->last_us) & TIME_MASK;

	if (elapsed > TIME_MASK / 2)
		return 0;
	pulse->last_us = time_us & TIME_MASK;
	return elapsed < INTERVAL_MOST ? (__u32)elapsed : INTERVAL_MOST;
}

SHARED __u32 window_gap(__u32 gap, __u32 elapsed)
{
	if (gap == GAP_NONE)
		return GAP_NONE;
	return gap + elapsed < INTERVAL_MOST ? gap + elapsed : INTERVAL_MOST;
}

SHARED __u32 window_length(const struct moment *moment)
{
	return moment->length < LENGTH_MOST ? moment->length : LENGTH_MOST;
}

SHARED void side_reset(struct side *side)
{
	side->length_sum = 0;
	side->length_squares = 0;
	side->packets = 0;
	side->length_least = LENGTH_MOST;
	side->length_most = 0;
	side->interval_sum = 0;
	side->interval_squares = 0;
	side->interval_least = INTERVAL_MOST;
	side->interval_most_high = 0;
	side->interval_most_low = 0;
	side->lone = 0;
}

SHARED void side_read(const struct side *side, struct spread *length, struct spread *interval)
{
	length->sum = side->length_sum;
	length->squares = side->length_squares;
	length->count = (__u32)side->packets;
	length->least = side->length_least;
	length->most = side->length_most;
	length->unused = interval->unused = 0;
	interval->sum = side->interval_sum;
	interval->squares = side->interval_squares;
	interval->count = (__u32)side->packets - (__u32)side->lone;
	interval->least = (__u32)side->interval_least;
	interval->most = (__u32)(side->interval_most_high << 10 | side->interval_most_low);
}

SHARED void side_add_length(struct side *side, __u32 length)
{
	side->length_sum = (side->length_sum + length) & 0x1fffff;
	side->length_squares = (side->length_squares + (__u64)length * length) & 0x1fffffffffull;
	if (length < side->length_least)
		side->length_least = (__u16)length;
	if (length > side->length_most)
		side->length_most = (__u16)length;
}

SHARED void side_add_interval(struct side *side, __u32 interval)
{
	__u32 most = (__u32)(side->interval_most_high << 10 | side->interval_most_low);

	if (interval == GAP_NONE) {
		side->lone = 1;
		return;
	}
	side->interval_sum = (side->interval_sum + interval) & 0xfffffff;
	side->interval_squares = (side->interval_squares + (__u64)interval * interval) &
				 0x7ffffffffffffull;
	if (interval < side->interval_least)
		side->interval_least = interval & INTERVAL_MOST;
	if (interval > most) {
		side->interval_most_high = interval >> 10 & 0x1fff;
		side->interval_most_low = interval & 0x3ff;
	}
}

SHARED void swings_reset(struct jumping *flow)
{
	flow->swings = 0;
	flow->before[0] = flow->before[1] = 0;
}

SHARED void swings_add(struct jumping *flow, __u32 length)
{
	for (int i = 0; i < 2; i++)
		flow->swings += view_swing(length, flow->before[i]);
	flow->before[1] = flow->before[0];
	flow->before[0] = (__u16)length;
}

SHARED void jumping_reset(struct jumping *flow, __u32 keeps)
{
	side_reset(&flow->side[WAY_UP]);
	side_reset(&flow->side[WAY_DOWN]);
	if (keeps & KEEPS_SWINGS)
		swings_reset(flow);
	flow->side[WAY_UP].past = 1;
}

SHARED void jumping_begin(struct jumping *flow, __u64 time_us, __u32 keeps)
{
	pulse_begin(&flow->pulse, time_us);
	jumping_reset(flow, keeps);
	flow->side[WAY_UP].gap = flow->side[WAY_DOWN].gap = GAP_NONE;
	flow->side[WAY_UP].past = flow->side[WAY_DOWN].past = 0;
}

/* The next packets are not added. An interval that would begin before them is none. */
SHARED void jumping_pause(struct jumping *flow)
{
	flow->side[WAY_UP].gap = flow->side[WAY_DOWN].gap = GAP_NONE;
}

SHARED void jumping_add(struct jumping *flow, const struct moment *moment, __u32 window,
			__u32 keeps, struct added *added)
{
	__u32 elapsed = window_elapsed(&flow->pulse, moment->time_us);
	__u32 length = window_length(moment), way = moment->way & 1;
	struct side *side = &flow->side[way], *other = &flow->side[way ^ 1];
	__u32 interval = window_gap(side->gap, elapsed);

	other->gap = window_gap(other->gap, elapsed) & 0xffffff;
	side->gap = 0;
	side->packets = (side->packets + 1) & 0x3f;
	if (keeps & KEEPS_LENGTHS)
		side_add_length(side, length);
	side_add_interval(side, interval);
	if (keeps & KEEPS_SWINGS)
		swings_add(flow, length);
	added->interval = interval;
	added->full = (__u32)side->packets + (__u32)other->packets >= window;
	added->new = !flow->side[WAY_UP].past;
}

SHARED void jumping_view(const struct jumping *flow, struct view *view, __u32 keeps)
{
	side_read(&flow->side[WAY_UP], &view->of[LENGTH + WAY_UP], &view->of[INTERVAL + WAY_UP]);
	side_read(&flow->side[WAY_DOWN], &view->of[LENGTH + WAY_DOWN],
		  &view->of[INTERVAL + WAY_DOWN]);
	view->swings = keeps & KEEPS_SWINGS ? flow->swings : 0;
	view_join(view);
}

/*
 * A place of the ring, whatever is in memory. In 64 bits, and hidden from the compiler before it is
 * compared: the verifier of Linux 6.1 forgets a bound of 32 bits when the number is copied.
 */
SHARED __u64 sliding_place(__u64 place)
{
	__asm__("" : "+r"(place));
	return place < SLIDING_MOST ? place : 0;
}

SHARED void sliding_begin(struct sliding *flow, __u64 time_us)
{
	pulse_begin(&flow->pulse, time_us);
	flow->gap_up = flow->gap_down = GAP_NONE;
	flow->seen = flow->next = 0;
}

SHARED void sliding_add(struct sliding *flow, const struct moment *moment, __u32 window,
			enum hint hint, struct added *added)
{
	__u32 elapsed = window_elapsed(&flow->pulse, moment->time_us);
	__u32 up = window_gap(flow->gap_up, elapsed), down = window_gap(flow->gap_down, elapsed);
	__u64 at = sliding_place(flow->next);
	__u32 is_down = moment->way & 1;
	__u32 interval = is_down ? down : up;

	flow->gap_up = (is_down ? up : 0) & 0xffffff;
	flow->gap_down = (is_down ? 0 : down) & 0xffffff;
	flow->interval[at] = interval | (__u32)hint << SLIDING_HINT | (is_down ? SLIDING_DOWN : 0);
	flow->length[at] = (__u16)window_length(moment);
	flow->next = (at + 1 < window ? at + 1 : 0) & 0xff;
	added->interval = interval;
	added->new = flow->seen < window;
	if (flow->seen < window)
		flow->seen = (flow->seen + 1) & 0xff;
	added->full = flow->seen >= window;
}

/* Reads the next packet of a window. */
SHARED void sliding_step(const struct sliding *flow, struct view *view, __u32 window, __u32 keeps)
{
	__u64 at = sliding_place(view->cursor), next = at + 1;
	__u32 interval = flow->interval[at], length = flow->length[at];
	__u32 way = interval >> 31;

	view->cursor = next < window ? (__u32)next : 0;
	view->counts[interval >> SLIDING_HINT & 3]++;
	interval &= GAP_NONE;
	if (keeps & KEEPS_LENGTHS)
		spread_add(&view->of[LENGTH + way], length);
	else
		view->of[LENGTH + way].count++;
	if (interval != GAP_NONE)
		spread_add(&view->of[INTERVAL + way], interval);
	if (!(keeps & KEEPS_SWINGS))
		return;
	view->swings += view_swing(length, view->before[0]);
	view->swings += view_swing(length, view->before[1]);
	view->before[1] = view->before[0];
	view->before[0] = length;
}

SHARED void sliding_view(const struct sliding *flow, struct view *view, __u32 window, __u32 keeps)
{
	for (int way = 0; way < WAYS; way++) {
		spread_begin(&view->of[LENGTH + way]);
		spread_begin(&view->of[INTERVAL + way]);
	}
	view->swings = 0;
	view->before[0] = view->before[1] = 0;
	for (int hint = HINT_NONE; hint <= HINT_PLAIN; hint++)
		view->counts[hint] = 0;
	view->cursor = flow->next;
#pragma clang loop unroll(disable)
	for (__u32 i = 0; i < SLIDING_MOST && i < window; i++)
		sliding_step(flow, view, window, keeps);
	view_join(view);
}

#endif
