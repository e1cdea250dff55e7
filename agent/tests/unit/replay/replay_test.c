// SPDX-License-Identifier: Apache-2.0
/* From a capture to frames and back: sides, clones, numbers, checksums, the books of arrivals. */
#include "frame/checksum.h"
#include "frame/frame.h"
#include "frame/mark.h"
#include "replay/arrive.h"
#include "replay/cut.h"
#include "replay/frames.h"
#include "replay/open.h"
#include "tests/frames.h"
#include "tests/test.h"
#include "tests/unit/made.h"

#include <errno.h>

#define LAN 0x0a000001 /* 10.0.0.1 */
#define FAR 0x08080808
#define OTHER 0x09090909

static const struct lab lab = { .family = 4,
				.client = { 198, 18, 1, 4 },
				.far = { 198, 19, 1, 254 } };
static const struct lab masked = { .family = 4,
				   .client = { 198, 18, 1, 4 },
				   .far = { 198, 19, 1, 254 },
				   .masked = true,
				   .mask = { 198, 19, 1, 1 } };

static struct trace_options options(void)
{
	return (struct trace_options){ .family = 4,
				       .ways = { true, true },
				       .clones = 1,
				       .clients = 1,
				       .packet_most = 1500,
				       .speed = 1,
				       .duration_ns = 1000000000 };
}

static void add(struct made *made, uint32_t ms, uint32_t from, uint32_t to, uint16_t from_port,
		uint16_t to_port)
{
	uint8_t frame[MADE_UDP_BYTES];

	if (!made->size)
		made_pcap(made, 0xa1b2c3d4, 1);
	made_udp(frame, from, to, from_port, to_port);
	made_record(made, 100, ms * 1000, frame, sizeof(frame), sizeof(frame));
}

static int open_made(struct trace *trace, const struct made *made, const struct trace_options *how,
		     struct fault *fault)
{
	struct capture capture;
	int error = capture_open(&capture, "x.pcap", made->bytes, made->size, fault);

	CHECK_EQUAL(error, 0);
	error = trace_open(trace, how, &capture, fault);
	capture_close(&capture);
	return error;
}

/* Two requests and an answer of one flow, and one packet of another flow that began outside. */
static void conversation(struct made *made)
{
	add(made, 10, LAN, FAR, 1000, 53);
	add(made, 12, FAR, LAN, 53, 1000);
	add(made, 20, LAN, FAR, 1000, 53);
	add(made, 30, OTHER, LAN, 4000, 80);
}

TEST(a_trace_is_a_schedule_of_two_directions)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct trace trace;
	struct fault fault;

	conversation(&made);
	CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
	CHECK_EQUAL(trace.flows, 2);
	CHECK_EQUAL(trace.hosts, 1);
	CHECK_EQUAL(trace.entries[WAY_UP], 2);
	CHECK_EQUAL(trace.entries[WAY_DOWN], 2);
	CHECK_EQUAL(trace.entry[WAY_UP][1].due_ns, 10000000);
	CHECK_EQUAL(trace.entry[WAY_DOWN][0].due_ns, 2000000);
	CHECK_EQUAL(trace.flow[1].lan_port, 80);
	trace_close(&trace);
	how.speed = 2;
	how.duration_ns = 4000000;
	CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
	CHECK_EQUAL(trace.entries[WAY_UP], 1);
	CHECK_EQUAL(trace.entry[WAY_DOWN][0].due_ns, 1000000);
	CHECK_EQUAL(trace.over, 2);
	CHECK_EQUAL(trace.length_ns, how.duration_ns);
	trace_close(&trace);
}

TEST(a_rate_replaces_the_trace_s_timing)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct trace trace;
	struct fault fault;

	conversation(&made);
	how.rate_pps = 1000;
	CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
	CHECK_EQUAL(trace.entry[WAY_UP][0].due_ns, 0);
	CHECK_EQUAL(trace.entry[WAY_DOWN][0].due_ns, 1000000);
	CHECK_EQUAL(trace.entry[WAY_UP][1].due_ns, 2000000);
	CHECK_EQUAL(trace.entry[WAY_DOWN][1].due_ns, 3000000);
	trace_close(&trace);
}

/* Whether the first packet goes up by a rule. */
static int goes_up(const char *rule, uint32_t from, uint32_t to)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct trace trace;
	struct fault fault;
	int up = -1;

	add(&made, 1, from, to, 1000, 2000);
	CHECK_EQUAL(split_parse(&how.split, rule, &fault), 0);
	if (open_made(&trace, &made, &how, &fault) == 0)
		up = trace.entries[WAY_UP] == 1;
	trace_close(&trace);
	return up;
}

TEST(the_side_of_a_flow_is_told_by_rule)
{
	struct split split;
	struct fault fault;

	CHECK_EQUAL(goes_up("auto", LAN, FAR), 1);
	CHECK_EQUAL(goes_up("auto", FAR, LAN), 0);
	CHECK_EQUAL(goes_up("auto", FAR, OTHER), 1);
	CHECK_EQUAL(goes_up("client", FAR, LAN), 1);
	CHECK_EQUAL(goes_up("private", FAR, LAN), 0);
	CHECK_EQUAL(goes_up("private", FAR, OTHER), -1);
	CHECK_EQUAL(goes_up("8.0.0.0/8", OTHER, FAR), 0);
	CHECK_EQUAL(goes_up("8.8.8.8/32", LAN, OTHER), -1);
	CHECK_EQUAL(goes_up("auto", FAR, 0xe00000fb), 1); /* multicast is never the LAN side */
	CHECK_EQUAL(split_parse(&split, "10.0.0.0/33", &fault), -EINVAL);
	CHECK_EQUAL(split_parse(&split, "left", &fault), -EINVAL);
}

TEST(clones_differ_by_client_then_by_port)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct trace trace;
	struct fault fault;

	conversation(&made);
	how.clones = 3;
	how.clients = 2;
	how.stagger_ns = 1000;
	CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
	CHECK_EQUAL(trace.flows, 6);
	CHECK_EQUAL(trace.entries[WAY_UP], 6);
	CHECK_EQUAL(trace.entry[WAY_UP][1].due_ns, 1000);
	CHECK_EQUAL(trace.flow[0].client, 0);
	CHECK_EQUAL(trace.flow[1].client, 1);
	CHECK_EQUAL(trace.flow[2].client, 0);
	CHECK_EQUAL(trace.flow[1].lan_port, 1000);
	CHECK_EQUAL(trace.flow[2].lan_port, 1024); /* 1000 is taken: the next above the low ones */
	trace_close(&trace);
}

/* The 16-bit sum over a frame's IP header, and over its UDP with pseudo header. */
static void checksums_hold(const uint8_t *frame)
{
	const uint8_t *ip = frame + 14;
	uint64_t sum = checksum_sum(ip + 12, 8) + 17 + 16 + checksum_sum(ip + 20, 16);

	CHECK_EQUAL(checksum_fold(checksum_sum(ip, 20)), 0xffff);
	CHECK_EQUAL(checksum_fold(sum), 0xffff);
}

/* A trace with its frames of both directions. */
struct stage {
	struct trace trace;
	struct frames frames[WAYS];
	struct arrive arrive;
};

static void set_stage(struct stage *stage, const struct made *made, const struct trace_options *how,
		      const struct lab *whose)
{
	struct fault fault = { 0 };

	memset(stage, 0, sizeof(*stage));
	CHECK_EQUAL(open_made(&stage->trace, made, how, &fault), 0);
	for (int way = 0; way < WAYS; way++)
		CHECK_EQUAL(frames_open(&stage->frames[way], &stage->trace, whose, (enum way)way,
					&fault),
			    0);
	CHECK_EQUAL(arrive_open(&stage->arrive, &stage->trace, whose, WAY_UP, 1000000, &fault), 0);
}

static void clear_stage(struct stage *stage)
{
	arrive_close(&stage->arrive);
	frames_close(&stage->frames[WAY_UP]);
	frames_close(&stage->frames[WAY_DOWN]);
	trace_close(&stage->trace);
}

static struct arrived came(const struct stage *stage, enum way way, uint32_t number)
{
	const struct frames *frames = &stage->frames[way];
	uint32_t bytes = (uint32_t)(frames->at[number + 1] - frames->at[number]);

	return (struct arrived){ .bytes = frames->bytes + frames->at[number],
				 .length = bytes,
				 .captured = bytes,
				 .time_ns = 5000 + number };
}

TEST(frames_are_rewritten_to_the_lab)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct stage stage;
	const uint8_t *ip;

	conversation(&made);
	set_stage(&stage, &made, &how, &masked);
	ip = came(&stage, WAY_UP, 1).bytes + 14;
	checksums_hold(ip - 14);
	CHECK(memcmp(ip + 12, masked.client, 4) == 0);
	CHECK(memcmp(ip + 16, masked.far, 4) == 0);
	CHECK_EQUAL(be16_load(ip + 4), 1); /* its number */
	CHECK_EQUAL(be16_load(ip + 6), 0x4000);
	CHECK_EQUAL(ip[8], 64);
	CHECK(memcmp(ip + 28, "payload!", 8) == 0);
	ip = came(&stage, WAY_DOWN, 0).bytes + 14;
	CHECK(memcmp(ip + 16, masked.mask, 4) == 0);
	frame_redirect((uint8_t *)(uintptr_t)(ip - 14), &stage.trace.packet[1], 61234);
	checksums_hold(ip - 14);
	CHECK_EQUAL(be16_load(ip + 22), 61234);
	clear_stage(&stage);
}

TEST(frames_bear_the_mark_that_is_asked_for_or_their_own)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct stage stage;
	struct arrived frame;
	uint8_t bytes[MADE_UDP_BYTES];

	conversation(&made);
	for (uint8_t mark = 0; mark <= 46; mark = (uint8_t)(mark + 46)) {
		how.mark = mark;
		set_stage(&stage, &made, &how, &lab);
		frame = came(&stage, WAY_UP, 0);
		checksums_hold(frame.bytes);
		CHECK_EQUAL(mark_read(frame.bytes + 14), mark);
		arrive_add(&stage.arrive, &frame);
		CHECK_EQUAL(stage.arrive.mark_changed, 0);
		frame = came(&stage, WAY_UP, 1);
		memcpy(bytes, frame.bytes, sizeof(bytes));
		frame.bytes = bytes;
		mark_write(bytes + 14, 8);
		be16_store(bytes + 24, 0);
		be16_store(bytes + 24,
			   (uint16_t)~checksum_fold(checksum_sum(bytes + 14, IPV4_BYTES)));
		CHECK_EQUAL(arrive_add(&stage.arrive, &frame), 0);
		CHECK_EQUAL(stage.arrive.mark_changed, 1);
		clear_stage(&stage);
	}
}

TEST(arrivals_are_booked_once)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct stage stage;
	struct arrived frame;
	uint8_t bytes[MADE_UDP_BYTES];

	conversation(&made);
	set_stage(&stage, &made, &how, &lab);
	frame = came(&stage, WAY_UP, 1);
	CHECK_EQUAL(arrive_add(&stage.arrive, &frame), 0);
	CHECK_EQUAL(stage.arrive.flow[0].port, 1000);
	arrive_add(&stage.arrive, &frame);
	frame = came(&stage, WAY_UP, 0);
	arrive_add(&stage.arrive, &frame);
	CHECK_EQUAL(stage.arrive.received, 3);
	CHECK_EQUAL(stage.arrive.unique, 2);
	CHECK_EQUAL(stage.arrive.duplicated, 1);
	CHECK_EQUAL(stage.arrive.reordered, 1);
	CHECK_EQUAL(stage.arrive.number[0], 1);
	CHECK_EQUAL(stage.arrive.time_ns[1], 5000);
	memcpy(bytes, frame.bytes, sizeof(bytes));
	frame.bytes = bytes;
	bytes[45] ^= 1; /* of the payload */
	CHECK_EQUAL(arrive_add(&stage.arrive, &frame), -1);
	CHECK_EQUAL(stage.arrive.corrupt, 1);
	frame = came(&stage, WAY_DOWN, 0);
	CHECK_EQUAL(arrive_add(&stage.arrive, &frame), -1);
	CHECK_EQUAL(stage.arrive.foreign, 1);
	clear_stage(&stage);
}

TEST(a_packet_that_passed_the_nat_as_it_was_is_in_no_book_of_arrivals)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct stage stage;
	struct arrived frame;

	conversation(&made);
	set_stage(&stage, &made, &how, &masked);
	frame = came(&stage, WAY_UP, 0); /* the client's own address */
	CHECK_EQUAL(arrive_add(&stage.arrive, &frame), -1);
	CHECK_EQUAL(stage.arrive.unmasked, 1);
	CHECK_EQUAL(stage.arrive.foreign, 1);
	CHECK_EQUAL(stage.arrive.flow[0].port, 0); /* it is learned behind the mask alone */
	CHECK_EQUAL(stage.arrive.received + stage.arrive.unique, 0);
	CHECK_EQUAL(stage.arrive.flow[0].unique, 0);
	CHECK_EQUAL(stage.arrive.behind.total, 0);
	CHECK_EQUAL(stage.arrive.highest, -1);
	clear_stage(&stage);
}

TEST(numbers_go_on_beyond_their_16_bits)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct stage stage;
	struct arrived frame;

	for (uint32_t i = 0; i < 100; i++)
		add(&made, i, LAN, FAR, 1000, 53);
	how.clones = 700;
	how.clients = 250;
	set_stage(&stage, &made, &how, &lab);
	CHECK_EQUAL(stage.trace.entries[WAY_UP], 70000);
	for (uint32_t i = 0; i < 70000; i += i == 1000 ? 30000 : 1) { /* 29 999 are lost */
		frame = came(&stage, WAY_UP, i);
		arrive_add(&stage.arrive, &frame);
		CHECK_EQUAL(stage.arrive.highest, i);
	}
	CHECK_EQUAL(stage.arrive.unique, 70000 - 29999);
	CHECK_EQUAL(stage.arrive.duplicated + stage.arrive.reordered, 0);
	clear_stage(&stage);
}

/* Why a capture cannot be replayed. */
static void refused(const struct made *made, const struct trace_options *how, const char *key,
		    const char *reason, const char *fix)
{
	struct trace trace;
	struct fault fault = { 0 };

	CHECK_EQUAL(open_made(&trace, made, how, &fault), -EINVAL);
	CHECK_TEXT(fault.key, key);
	CHECK(strstr(fault.reason, reason));
	CHECK(strstr(fault.fix, fix));
	if (!strstr(fault.reason, reason))
		printf("# %s\n", fault.reason);
	trace_close(&trace);
}

static void add_bytes(struct made *made, const void *bytes, uint32_t size)
{
	if (!made->size)
		made_pcap(made, 0xa1b2c3d4, 1);
	made_record(made, 100, 0, bytes, size, size);
}

TEST(a_capture_of_which_nothing_can_be_replayed_says_why)
{
	struct made family = { 0 }, others = { 0 }, time = { 0 }, side = { 0 }, empty = { 0 };
	struct trace_options how = options();
	uint8_t frame[MADE_UDP_BYTES];

	add(&family, 1, LAN, FAR, 1000, 53);
	how.family = 6;
	refused(&family, &how, "family", "1 of the other IP version", "family 4");
	how.family = 4;
	add_bytes(&others, "\2\0\0\0\0\1\2\0\0\0\0\2\x88\x64\x11\0\0\1\0\4\xc0\x21\1\1", 24);
	add_bytes(&others, "\2\0\0\0\0\1\2\0\0\0\0\2\x88\x64\x11\0\0\1\0\4\xc0\x21\1\1", 24);
	add_bytes(&others, "\2\0\0\0\0\1\2\0\0\0\0\2\x08\6\0\1", 16);
	refused(&others, &how, "trace", "2 PPPoE session, protocol 0xC021, 1 ARP", "tcpdump");
	add(&time, 1, LAN, FAR, 1000, 53);
	memset(time.bytes + 28, 0xff, 4);
	refused(&time, &how, "rate_pps", "1 without a sound time", "rate_pps");
	add(&side, 1, FAR, OTHER, 1000, 53);
	how.split.rule = SPLIT_PRIVATE;
	refused(&side, &how, "split", "1 of flows without a LAN side", "split");
	made_pcap(&empty, 0xa1b2c3d4, 1);
	refused(&empty, &how, "trace", "replayed: no packet", "tcpdump");
	made_udp(frame, LAN, FAR, 1000, 53);
	be16_store(frame + 16, 3000);
	empty.size = 24;
	made_record(&empty, 1, 0, frame, sizeof(frame), 3014);
	how = options();
	refused(&empty, &how, "packet_most", "1 too long (more than packet_most 1500)",
		"packet_most 3000");
	be16_store(frame + 16, 20000);
	empty.size = 24;
	made_record(&empty, 1, 0, frame, sizeof(frame), 20014);
	refused(&empty, &how, "packet_most", "1 too long", "9000 is the most");
}

TEST(a_packet_without_a_time_is_left_out_alone)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct trace trace;
	struct fault fault;

	conversation(&made);
	memset(made.bytes + 28, 0xff, 4); /* of the first packet */
	CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
	CHECK_EQUAL(trace.left.packets[PACKET_TIME], 1);
	CHECK_EQUAL(trace.entries[WAY_UP] + trace.entries[WAY_DOWN], 3);
	trace_close(&trace);
	how.rate_pps = 100;
	CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
	CHECK_EQUAL(trace.left.packets[PACKET_TIME], 0);
	CHECK_EQUAL(trace.entries[WAY_UP] + trace.entries[WAY_DOWN], 4);
	trace_close(&trace);
}

/* Whatever its time is, as early or as late as can be. */
TEST(a_packet_that_is_years_away_is_left_out_alone)
{
	for (int late = 0; late < 2; late++) {
		struct made made = { 0 };
		struct trace_options how = options();
		struct trace trace;
		struct fault fault;

		conversation(&made);
		made_32(&made, late ? UINT32_MAX : 0);
		made_bytes(&made, made.bytes + 28, 12 + MADE_UDP_BYTES);
		for (uint32_t i = 24; i + 16 < made.size; i += 16 + MADE_UDP_BYTES)
			made.bytes[i + 3] = 0x60; /* seconds: in the year 2021 */
		made.bytes[made.size - 16 - MADE_UDP_BYTES + 3] = late ? 0xff : 0;
		CHECK_EQUAL(open_made(&trace, &made, &how, &fault), 0);
		CHECK_EQUAL(trace.left.packets[PACKET_TIME], 1);
		CHECK_EQUAL(trace.entries[WAY_UP] + trace.entries[WAY_DOWN], 4);
		CHECK_EQUAL(trace.entry[WAY_UP][0].due_ns, 0);
		trace_close(&trace);
	}
}

#define TCP_FLAGS_AT 13
#define SEGMENT 100
#define MERGED_BYTES (3 * SEGMENT - 40) /* payload of what was merged of three */

/*
 * A SYN, its answer with an MSS of 112 bytes, which are 100 with the time stamps of each segment,
 * and one that was merged: FIN, PSH, CWR and ACK, 66 bytes of it captured.
 */
static void download(struct made *made)
{
	static const uint8_t flags[] = { 0x02, 0x12, 0x99 };
	static const uint8_t options[] = { 2, 4, 0, 112, 1, 1, 8, 10, 0, 0, 0, 1 };

	made_pcap(made, 0xa1b2c3d4, 1);
	for (uint32_t i = 0; i < 3; i++) {
		struct made frame = { .big = true };
		uint32_t payload = i == 2 ? MERGED_BYTES : 0;

		made_bytes(&frame, "\2\0\0\0\0\1\2\0\0\0\0\2\x08\0\x45\0", 16);
		made_16(&frame, 20 + 32 + payload);
		made_bytes(&frame, "\x12\x34\x40\0\x05\x06\0\0", 8);
		made_32(&frame, i ? FAR : LAN);
		made_32(&frame, i ? LAN : FAR);
		made_16(&frame, i ? 443 : 5000);
		made_16(&frame, i ? 5000 : 443);
		made_32(&frame, 0xffffff00); /* its bytes go on at 0 */
		made_32(&frame, 7);
		made_8(&frame, 0x80);
		made_8(&frame, flags[i]);
		made_bytes(&frame, "\xff\xff\0\0\0\0", 6);
		made_bytes(&frame, options, sizeof(options));
		if (i == 2) /* no MSS but in a SYN */
			memcpy(frame.bytes + 54, "\1\1\1\1", 4);
		for (uint32_t byte = 0; byte < payload; byte++)
			made_8(&frame, byte);
		made_record(made, 100, i * 1000, frame.bytes, (uint32_t)frame.size,
			    (uint32_t)frame.size);
	}
}

static void check_piece(const struct stage *stage, uint32_t i)
{
	const uint8_t *ip = came(stage, WAY_DOWN, 1 + i).bytes + 14, *tcp = ip + 20;
	uint32_t payload = i < 2 ? SEGMENT : MERGED_BYTES - 2 * SEGMENT;
	uint64_t sum = checksum_sum(ip + 12, 8) + 6 + 32 + payload;

	CHECK_EQUAL(be16_load(ip + 2), 52 + payload);
	CHECK_EQUAL(be16_load(ip + 4), 1 + i);
	CHECK_EQUAL(be32_load(tcp + 4), (uint32_t)(0xffffff00 + i * SEGMENT));
	CHECK_EQUAL(tcp[TCP_FLAGS_AT], i == 0 ? 0x90 : i == 1 ? 0x10 : 0x19);
	CHECK_EQUAL(tcp[32], (uint8_t)(i * SEGMENT));
	CHECK_EQUAL(tcp[32 + payload - 1], (uint8_t)(i * SEGMENT + payload - 1));
	CHECK_EQUAL(checksum_fold(checksum_sum(ip, 20)), 0xffff);
	CHECK_EQUAL(checksum_fold(sum + checksum_sum(tcp, 32 + payload)), 0xffff);
	CHECK_EQUAL(stage->trace.entry[WAY_DOWN][1 + i].due_ns, 2000000);
}

TEST(merged_segments_are_cut_to_the_mss_again)
{
	struct made made = { 0 };
	struct trace_options how = options();
	struct stage stage;

	how.packet_most = 200;
	download(&made);
	set_stage(&stage, &made, &how, &lab);
	CHECK_EQUAL(stage.trace.cut, 1);
	CHECK_EQUAL(stage.trace.entries[WAY_DOWN], 4);
	CHECK_EQUAL(stage.trace.padded, 0);
	for (uint32_t i = 0; i < 3; i++)
		check_piece(&stage, i);
	clear_stage(&stage);
}

TEST(segments_are_cut_as_the_flow_shows)
{
	struct cut cut = { 0 };

	CHECK_EQUAL(cut_bytes(&cut, 0, 52, 12, 1500), 1448);
	cut.whole[0] = 1388;
	cut.whole[1] = 300; /* the end of what was sent */
	CHECK_EQUAL(cut_bytes(&cut, 0, 52, 12, 1500), 1388);
	CHECK_EQUAL(cut_bytes(&cut, 1, 52, 12, 1500), 1448);
	cut.mss = 1412;
	CHECK_EQUAL(cut_bytes(&cut, 1, 52, 12, 1500), 1400);
	cut.mss = 8960;
	CHECK_EQUAL(cut_bytes(&cut, 1, 52, 12, 1500), 1448);
}

/* The frames of the table that bear UDP over IPv6. */
static void add_frames_6(struct made *made)
{
	made_pcap(made, 0xa1b2c3d4, 1);
	for (uint32_t i = 0; i < TEST_FRAMES; i++)
		if (test_frames[i].family == 6 && test_frames[i].link == 1 &&
		    test_frames[i].verdict == PACKET_TAKEN)
			made_record(made, 100, i, test_frames[i].bytes, test_frames[i].length,
				    test_frames[i].length);
}

TEST(extension_headers_are_sent_as_they_are_and_known_again)
{
	const struct lab lab6 = { .family = 6, .client = { 0xfd, 1 }, .far = { 0x20, 2 } };
	struct trace_options how = options();
	struct made made = { 0 };
	struct stage stage;

	how.family = 6;
	add_frames_6(&made);
	set_stage(&stage, &made, &how, &lab6);
	CHECK(stage.trace.entries[WAY_UP] > 8);
	for (uint32_t i = 0; i < stage.trace.entries[WAY_UP]; i++) {
		struct arrived frame = came(&stage, WAY_UP, i);
		const struct trace_entry *entry = &stage.trace.entry[WAY_UP][i];
		const struct trace_packet *packet = &stage.trace.packet[entry->packet];

		CHECK(!memcmp(frame.bytes + 54, packet->ip + 40, packet->header_bytes - 40));
		CHECK_EQUAL(arrive_add(&stage.arrive, &frame), 0);
	}
	CHECK_EQUAL(stage.arrive.unique, stage.trace.entries[WAY_UP]);
	clear_stage(&stage);
}

/* A gateway that tracks connections takes the header of an atomic fragment off. */
TEST(an_atomic_fragment_is_known_without_its_header)
{
	const struct lab lab6 = { .family = 6, .client = { 0xfd, 1 }, .far = { 0x20, 2 } };
	struct trace_options how = options();
	struct made made = { 0 };
	struct stage stage;
	struct arrived frame;
	uint8_t bytes[128];

	how.family = 6;
	add_bytes(&made, MACS "\x86\xdd" IP_6("\x18", "\x2c") PIECE("\x11", "\0\0") UDP_OF_8,
		  14 + 64);
	set_stage(&stage, &made, &how, &lab6);
	frame = came(&stage, WAY_UP, 0);
	memcpy(bytes, frame.bytes, 54);
	memcpy(bytes + 54, frame.bytes + 62, 16);
	be16_store(bytes + 18, 16);
	bytes[20] = 17;
	frame = (struct arrived){ .bytes = bytes, .length = 70, .captured = 70 };
	CHECK_EQUAL(arrive_add(&stage.arrive, &frame), 0);
	CHECK_EQUAL(stage.arrive.unique, 1);
	clear_stage(&stage);
}

TEST(a_packet_that_is_routed_elsewhere_is_left_out)
{
	struct trace_options how = options();
	struct made made = { 0 };

	how.family = 6;
	add_bytes(&made,
		  MACS "\x86\xdd" IP_6("\x28", "\x2b") "\x11\2\0\1\0\0\0\0" TARGET_6 UDP_OF_8,
		  14 + 80);
	refused(&made, &how, "trace", "1 with a routing header", "tcpdump");
}
