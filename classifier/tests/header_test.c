// SPDX-License-Identifier: Apache-2.0
/* What the beginnings of payloads say of a flow, and what has none. */
#include "capture/head.h"
#include "tests/made.h"

#include <arpa/inet.h>

#define HEAD(bytes_, ...)                                                                          \
	(struct head)                                                                              \
	{                                                                                          \
		.bytes = bytes_, .byte = { __VA_ARGS__ }                                           \
	}
#define MS 1000ull

static const struct head stun = HEAD(28, 0, 1, 0, 8, 0x21, 0x12, 0xa4, 0x42, 1, 2, 3, 4);
static const struct head dtls = HEAD(120, 0x16, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 1);
static const struct head quic = HEAD(1200, 0xc3, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6);
static const struct head older_quic = HEAD(1350, 0xd, 1, 2, 3, 4, 5, 6, 7, 8, 0x51, 0x30, 0x34);
static const struct head rtcp = HEAD(28, 0x81, 0xc9, 0, 6, 0, 0, 0, 1, 0, 0, 0, 2);
static const struct head dns = HEAD(40, 0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0);
static const struct head wireguard = HEAD(128, 4, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8);
static const struct head noise = HEAD(128, 0x42, 0x91, 7, 0x66, 1, 2, 3, 4, 5, 6, 7, 8);

/* Of a source's media; sound and picture have sources of their own. */
static struct head rtp(uint8_t source, uint16_t sequence)
{
	struct head head = HEAD(172, 0x80, 0x6f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

	head.byte[2] = (uint8_t)(sequence >> 8);
	head.byte[3] = (uint8_t)sequence;
	head.byte[11] = source;
	return head;
}

/* A tree that gives all the class `other`, so that what is found, headers found. */
static void begin(struct made_flow *made, bool slides)
{
	static const char text[] =
		"# window: 10\n# headers: 1\n# sure: 97\nclasses other realtime\n"
		"attributes mean.plen\nn_0 a_0 r c_0 200 c_0 c_0\n";
	struct fault fault = { 0 };

	made_begin(made, slides, 10);
	CHECK_EQUAL(made_model(&made->named, text, &fault), 0);
	made->named.slides = slides;
	made->record.key.lan_port = htons(40000);
	made->record.key.wan_port = htons(50000);
}

static void add(struct made_flow *made, int at, uint32_t way, const struct head *head)
{
	struct seen seen = made_seen(made, (uint64_t)at * 20 * MS, 200, way);

	seen.head = *head;
	classify(&made->tables, &made->named.model, &made->scratch, &seen, &made->outcome);
}

/* Windows of one head, both ways in turn. */
static uint32_t class_of(const struct head *head, bool slides, uint16_t wan_port)
{
	struct made_flow made;

	begin(&made, slides);
	made.record.key.wan_port = htons(wan_port);
	for (int i = 0; i < 20; i++)
		add(&made, i, (uint32_t)i % 2, head);
	return made.scratch.view.header;
}

TEST(set_up_of_a_call_is_real_time_and_what_is_none_is_other)
{
	for (int slides = 0; slides < 2; slides++) {
		CHECK_EQUAL(class_of(&stun, slides, 3478), HEADER_REALTIME);
		CHECK_EQUAL(class_of(&dtls, slides, 8801), HEADER_REALTIME);
		CHECK_EQUAL(class_of(&dtls, slides, 443), HEADER_UNKNOWN);
		CHECK_EQUAL(class_of(&quic, slides, 443), HEADER_OTHER);
		CHECK_EQUAL(class_of(&older_quic, slides, 443), HEADER_OTHER);
		CHECK_EQUAL(class_of(&dns, slides, 53), HEADER_OTHER);
		CHECK_EQUAL(class_of(&wireguard, slides, 40001), HEADER_OTHER);
		CHECK_EQUAL(class_of(&rtcp, slides, 40001), HEADER_UNKNOWN);
		CHECK_EQUAL(class_of(&noise, slides, 40001), HEADER_UNKNOWN);
	}
}

/* Sources and way of `packets` of RTP; the class at the end. */
static uint32_t class_of_media(int packets, uint8_t sources, bool both_ways, uint16_t step)
{
	struct made_flow made;

	begin(&made, false);
	for (int i = 0; i < packets; i++) {
		uint32_t way = both_ways ? (uint32_t)i % 2 : WAY_DOWN;
		int turn = both_ways ? i / 2 : i;
		struct head head = rtp((uint8_t)(1 + turn % sources + (int)way * 8),
				       (uint16_t)(65530 + turn / sources * step));

		add(&made, i, way, &head);
	}
	return made.scratch.view.header;
}

TEST(media_both_ways_are_real_time_of_up_to_two_sources)
{
	CHECK_EQUAL(class_of_media(20, 1, true, 1), HEADER_REALTIME);
	CHECK_EQUAL(class_of_media(30, 2, true, 1), HEADER_REALTIME);
	CHECK_EQUAL(class_of_media(30, 1, true, 4), HEADER_REALTIME);
}

TEST(media_of_one_way_are_a_stream_which_the_tree_decides)
{
	CHECK_EQUAL(class_of_media(40, 1, false, 1), HEADER_UNKNOWN);
}

TEST(what_begins_as_media_but_does_not_go_on_is_none)
{
	CHECK_EQUAL(class_of_media(40, 1, true, 5), HEADER_UNKNOWN);
	CHECK_EQUAL(class_of_media(40, 1, true, 31), HEADER_UNKNOWN);
	CHECK_EQUAL(class_of_media(40, 7, true, 1), HEADER_UNKNOWN);
}

TEST(headers_go_before_the_tree_and_say_how_sure_they_are)
{
	struct made_flow made;

	begin(&made, false);
	for (int i = 0; i < 10; i++)
		add(&made, i, (uint32_t)i % 2, &stun);
	CHECK_EQUAL(made.outcome.class, 1);
	CHECK_EQUAL(made.outcome.confidence, 97);
}

TEST(model_without_headers_decides_as_before)
{
	struct made_flow made;

	begin(&made, false);
	made.named.model.headers = 0;
	for (int i = 0; i < 10; i++)
		add(&made, i, (uint32_t)i % 2, &stun);
	CHECK_EQUAL(made.outcome.class, 0);
	CHECK_EQUAL(made.outcome.confidence, 100);
}

TEST(headers_take_8_bytes_behind_a_window)
{
	CHECK_EQUAL(sizeof(struct hints), 8);
	CHECK_EQUAL(window_bytes(0, KEEPS_HEADERS), 80);
	CHECK_EQUAL(window_bytes(0, KEEPS_LENGTHS), 72);
	CHECK_EQUAL(window_bytes(1, KEEPS_HEADERS), 168);
}

/* The head of an IPv4 packet of UDP with `payload` bytes, of which so many were captured. */
static struct head head_of_captured(uint32_t payload, uint32_t captured, int family,
				    uint32_t header)
{
	static const uint8_t bytes[128];
	const struct packet_view view = { .family = family,
					  .protocol = CLASSIFY_UDP,
					  .ip = bytes,
					  .captured = header + 8 + captured,
					  .length = header + 8 + payload,
					  .header_bytes = header,
					  .payload_at = header + 8 };

	return head_of(&view);
}

TEST(payload_that_is_not_at_hand_says_nothing)
{
	CHECK_EQUAL(head_of_captured(172, 172 / 2, 4, 20).bytes, 172);
	CHECK_EQUAL(head_of_captured(172, 12, 4, 20).bytes, 172);
	CHECK_EQUAL(head_of_captured(172, 11, 4, 20).bytes, 0);
	CHECK_EQUAL(head_of_captured(11, 11, 4, 20).bytes, 0);
	CHECK_EQUAL(head_of_captured(60, 60, 6, 40).bytes, 60);
	CHECK_EQUAL(head_of_captured(60, 60, 6, 48).bytes, 0);
	CHECK_EQUAL(hints_see(&(struct hints){ 0 }, WAY_UP, &(struct head){ .bytes = 11 }, 0, 0),
		    HINT_NONE);
}

/* Of realtime windows: the floor takes the sparse ones away, the ceiling the large ones. */
TEST(floor_and_ceiling_bound_what_is_in_real_time)
{
	struct made_flow made;

	begin(&made, false);
	made.named.model.floor = 5;
	for (int i = 0; i < 10; i++)
		add(&made, i * 13, WAY_UP, &stun); /* every 260 ms */
	CHECK_EQUAL(made.outcome.class, 0);
	for (int i = 0; i < 20; i++)
		add(&made, 120 + i, WAY_UP, &stun);
	CHECK_EQUAL(made.outcome.class, 1);
	made.named.model.ceiling = 199;
	for (int i = 0; i < 10; i++)
		add(&made, 140 + i, WAY_UP, &stun);
	CHECK_EQUAL(made.outcome.class, 0);
}

TEST(leaf_less_sure_than_asked_for_changes_nothing)
{
	struct made_flow made;

	begin(&made, false);
	for (int i = 0; i < 10; i++)
		add(&made, i, (uint32_t)i % 2, &stun);
	made.named.model.unknown = 98;
	for (int i = 10; i < 20; i++)
		add(&made, i, (uint32_t)i % 2, &stun);
	CHECK_EQUAL(made.outcome.fresh, 0);
}

/* An upload that writes RTP both ways, 1.5 MB a second: it has priority until the guard. */
TEST(bulk_dressed_as_media_is_bound_by_the_guard)
{
	struct made_flow made;
	uint32_t marked = 0;

	begin(&made, false);
	made.named.model.action[1] = (struct class_action){ .mark = 7, .priority = 1 };
	for (int i = 0; i < 5000; i++) {
		struct head head = rtp((uint8_t)(1 + i % 2), (uint16_t)(i / 2));
		struct seen seen = made_seen(&made, (unsigned int)i * MS, 1400, (uint32_t)i % 2);

		seen.head = head;
		classify(&made.tables, &made.named.model, &made.scratch, &seen, &made.outcome);
		marked += made.outcome.mark ? 1400 : 0;
	}
	CHECK_EQUAL(made.outcome.verdict, VERDICT_DEMOTED);
	CHECK(marked && marked < 125000);
}

/* Of a terminal: 10 packets of so many bytes, both ways, so far apart; the class of the window. */
static uint32_t class_of_terminal(uint16_t port, uint32_t bytes, uint64_t interval_us)
{
	static const char text[] = "# window: 10\n# protocol: udp\n# interactive: 1\n"
				   "classes other interactive\n"
				   "attributes mean.iat\nn_0 a_0 r c_0 200 c_0 c_0\n";
	struct fault fault = { 0 };
	struct made_flow made;

	made_begin(&made, false, 10);
	CHECK_EQUAL(made_model(&made.named, text, &fault), 0);
	made.record.key.protocol = CLASSIFY_TCP;
	made.record.key.lan_port = htons(40000);
	made.record.key.wan_port = htons(port);
	for (uint32_t i = 0; i < 20; i++)
		made_add(&made, i * interval_us, bytes, i % 2);
	return made.outcome.class;
}

TEST(terminal_is_interactive_while_it_behaves_so)
{
	CHECK_EQUAL(class_of_terminal(22, 88, 50 * MS), 1);
	CHECK_EQUAL(class_of_terminal(3389, 150, 50 * MS), 1);
	CHECK_EQUAL(class_of_terminal(22, 1400, 50 * MS), 0); /* a file */
	CHECK_EQUAL(class_of_terminal(22, 88, 1 * MS), 0); /* faster than anybody types */
	CHECK_EQUAL(class_of_terminal(443, 88, 50 * MS), CLASS_NONE); /* no terminal's port */
}
