// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * header: what the payloads of a UDP flow begin with, where that is known by its form: 0 nothing, 1
 * no real time (QUIC, DNS, WireGuard), 2 real time (RTP both ways, a call's set-up by STUN or DTLS).
 * A payload of which the first 12 bytes are not at hand says nothing.
 *
 * RTP: RFC 3550, 5.1; RTCP: 6.1, RFC 5761, 4; STUN: RFC 8489, 5; DTLS: RFC 7983, 7; QUIC: RFC 9000,
 * 17.2; DNS: RFC 1035, 4.1.1; WireGuard: its paper, 5.4.
 */
#ifndef GM_FEATURE_HEADER_H
#define GM_FEATURE_HEADER_H

#include "classifier/core/feature/port.h"

#define HEADER_NAMES { "header", 0, { "hint" } }

#define HEAD_BYTES 12
#define HINTS_COUNTED 15 /* of 4 bits */

/* The beginning of a packet's payload. bytes: of the payload; 0: its beginning is not at hand. */
struct head {
	__u32 bytes;
	__u8 byte[HEAD_BYTES];
};

/* What a window counts of. */
enum hint { HINT_NONE, HINT_MEDIA, HINT_SETUP, HINT_PLAIN };

/* What the headers of a flow say it is. */
enum header { HEADER_UNKNOWN, HEADER_OTHER, HEADER_REALTIME, HEADER_INTERACTIVE };

/*
 * Of a flow: 8 bytes. Of each way the two last sources of RTP, as sound and picture share a flow:
 * 7 bits of the source, 5 of its sequence. Packets of the window, where it jumps. What was seen at
 * all: a call's set-up, QUIC, RTP that goes on.
 */
struct hints {
	__u64 up : 24, down : 24;
	__u64 media : 4, setup : 4, plain : 4;
	__u64 call : 1, quic : 1, rtp_up : 1, rtp_down : 1;
};

#define PLACE_BITS 12
#define PLACE 0xfffu
#define SEQUENCE_BITS 5
#define SEQUENCE 0x1fu
#define SEQUENCE_STEP 4 /* a source goes on where its number is the same, or so much higher */

SHARED __u32 head_u32(const struct head *head, __u32 at)
{
	return (__u32)head->byte[at] << 24 | (__u32)head->byte[at + 1] << 16 |
	       (__u32)head->byte[at + 2] << 8 | head->byte[at + 3];
}

SHARED __u32 head_u16(const struct head *head, __u32 at)
{
	return (__u32)head->byte[at] << 8 | head->byte[at + 1];
}

SHARED int head_is_control(__u32 type)
{
	return (type >= 192 && type <= 195) || (type >= 200 && type <= 207);
}

SHARED int head_is_dns(const struct head *head)
{
	__u32 questions = head_u16(head, 4),
	      most = head_u16(head, 6) | head_u16(head, 8) | head_u16(head, 10);

	return questions == 1 && !(head->byte[2] & 0x78) && most < 32;
}

SHARED int head_is_wireguard(const struct head *head)
{
	__u32 first = head_u32(head, 0);

	return (first == 0x01000000 && head->bytes == 148) ||
	       (first == 0x02000000 && head->bytes == 92) ||
	       (first == 0x03000000 && head->bytes == 64) ||
	       (first == 0x04000000 && head->bytes >= 32);
}

/* Q03x to Q05x and T05x, which came before the standard; one digit is left out. */
SHARED int head_is_older_quic(__u32 version)
{
	__u32 letters = version >> 8;

	return letters == 0x513033 || letters == 0x513034 || letters == 0x513035 ||
	       letters == 0x543035;
}

SHARED int head_is_quic(const struct head *head)
{
	__u32 version = head_u32(head, 1);

	if (head_is_older_quic(version) || head_is_older_quic(head_u32(head, 8) << 8))
		return 1;
	return head->byte[0] >= 0xc0 &&
	       (version == 1 || version == 0x6b3343cf || version >> 8 == 0xff0000 ||
		(version & 0x0f0f0f0f) == 0x0a0a0a0a);
}

/* Looks for the packet's source among the two of its way, and keeps it as the last. */
SHARED int hints_go_on(struct hints *hints, __u32 way, const struct head *head)
{
	__u32 places = (__u32)(way ? hints->down : hints->up);
	__u32 source = head->byte[11] & 0x7f, sequence = head->byte[3] & SEQUENCE;
	__u32 last = places & PLACE, before = places >> PLACE_BITS;
	__u32 is_last = last >> SEQUENCE_BITS == source;
	__u32 place = is_last ? last : before;
	__u32 step = (sequence - place) & SEQUENCE;

	places = source << SEQUENCE_BITS | sequence | (is_last ? before : last) << PLACE_BITS;
	if (way)
		hints->down = places & 0xffffff;
	else
		hints->up = places & 0xffffff;
	return place >> SEQUENCE_BITS == source && step <= SEQUENCE_STEP;
}

/* Version 2: a media packet, or what its ends report of it. */
SHARED enum hint hints_see_media(struct hints *hints, __u32 way, const struct head *head)
{
	if (head_is_control(head->byte[1]))
		return (head_u16(head, 2) + 1) * 4 <= head->bytes ? HINT_MEDIA : HINT_NONE;
	if (!hints_go_on(hints, way, head))
		return HINT_NONE;
	if (way)
		hints->rtp_down = 1;
	else
		hints->rtp_up = 1;
	return HINT_MEDIA;
}

/* Takes a packet in; the ports are its flow's. DTLS to a service is no call. */
SHARED enum hint hints_see(struct hints *hints, __u32 way, const struct head *head,
			   const __u16 *lan_port, const __u16 *wan_port)
{
	__u32 first = head->byte[0];

	if (head->bytes < HEAD_BYTES)
		return HINT_NONE;
	if (first < 4 && head_u32(head, 4) == 0x2112a442 && head->bytes >= 20) {
		hints->call = 1;
		return HINT_SETUP;
	}
	if (first >= 20 && first <= 25 && (head_u16(head, 1) | 2) == 0xfeff) {
		hints->call |= !(port_is_listed(lan_port) | port_is_listed(wan_port));
		return HINT_SETUP;
	}
	if (head_is_wireguard(head) || head_is_dns(head))
		return HINT_PLAIN;
	if (head_is_quic(head)) {
		hints->quic = 1;
		return HINT_NONE;
	}
	return first >> 6 == 2 ? hints_see_media(hints, way, head) : HINT_NONE;
}

SHARED void hints_begin(struct hints *hints)
{
	hints->up = hints->down = 0;
	hints->media = hints->setup = hints->plain = 0;
	hints->call = hints->quic = hints->rtp_up = hints->rtp_down = 0;
}

SHARED __u32 hints_next(__u32 count, int more)
{
	return more && count < HINTS_COUNTED ? count + 1 : count;
}

/* Counts a packet of a jumping window. */
SHARED void hints_count(struct hints *hints, enum hint hint)
{
	hints->media = hints_next((__u32)hints->media, hint == HINT_MEDIA) & HINTS_COUNTED;
	hints->setup = hints_next((__u32)hints->setup, hint == HINT_SETUP) & HINTS_COUNTED;
	hints->plain = hints_next((__u32)hints->plain, hint == HINT_PLAIN) & HINTS_COUNTED;
}

/* Hands the counts of a jumping window out, and begins another. */
SHARED void hints_take(struct hints *hints, __u32 counts[HINT_PLAIN + 1])
{
	counts[HINT_NONE] = 0;
	counts[HINT_MEDIA] = hints->media;
	counts[HINT_SETUP] = hints->setup;
	counts[HINT_PLAIN] = hints->plain;
	hints->media = hints->setup = hints->plain = 0;
}

/* A share of a window in tenths, as a number of packets that 4 bits can count to. */
SHARED __u32 hints_share(__u32 window, __u32 tenths)
{
	__u32 packets = (window * tenths + 9) / 10;

	return packets < HINTS_COUNTED ? packets : HINTS_COUNTED;
}

/* Reads a full window. One-way media are a stream: they are for the tree. */
SHARED __u32 hints_read(const struct hints *hints, const __u32 counts[HINT_PLAIN + 1], __u32 window)
{
	__u32 media = counts[HINT_MEDIA], half = hints_share(window, 5);

	if (media >= hints_share(window, 3) && media + counts[HINT_SETUP] >= half &&
	    (hints->call || (hints->rtp_up && hints->rtp_down)))
		return HEADER_REALTIME;
	if ((hints->quic && !hints->call) || counts[HINT_PLAIN] >= half)
		return HEADER_OTHER;
	return hints->call ? HEADER_REALTIME : HEADER_UNKNOWN;
}

/*
 * Of TCP at a terminal's or desktop's port, where HINT_MEDIA counts small packets: whether it behaves
 * as one. A file over the same connection does not.
 */
#define TERMINAL_BYTES 200
#define TERMINAL_LEAST_US 20000
#define TERMINAL_MOST_US 2000000

SHARED __u32 terminal_read(const __u32 counts[HINT_PLAIN + 1], const struct view *view,
			   __u32 window)
{
	int is_typed = 0;

	for (int way = 0; way < WAYS; way++) {
		const struct spread *interval = &view->of[INTERVAL + way];

		is_typed |= interval->sum >= (__u64)interval->count * TERMINAL_LEAST_US &&
			    interval->sum <= (__u64)interval->count * TERMINAL_MOST_US &&
			    interval->count;
	}
	return is_typed && counts[HINT_MEDIA] >= hints_share(window, 8) ? HEADER_INTERACTIVE
									: HEADER_OTHER;
}

SHARED struct measure header_measure(__u32 statistic, __u32 way)
{
	(void)statistic;
	(void)way;
	return measure(LENGTH, STATISTIC_OWN);
}

SHARED __s32 header_own(const struct view *view, __u32 statistic)
{
	(void)statistic;
	return (__s32)view->header;
}

#endif
