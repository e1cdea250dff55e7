// SPDX-License-Identifier: Apache-2.0
/* Captures of every form are read, broken ones refused with their place. */
#include "replay/open.h"
#include "replay/packet.h"
#include "replay/unread.h"
#include "tests/frames.h"
#include "tests/test.h"
#include "tests/unit/made.h"

#include <errno.h>
#include <stdlib.h>

#define MAGIC_US 0xa1b2c3d4
#define MAGIC_NS 0xa1b23c4d
#define SECOND 1000000000ull

static const uint8_t packet[] = "Sixteen bytes...";

/* All packets of a capture, the last one into `last`; or -EINVAL. */
static int read_all(const uint8_t *bytes, size_t size, struct capture_packet *last,
		    struct fault *fault)
{
	struct capture capture;
	int count = 0;
	int result = capture_open(&capture, "x.pcap", bytes, size, fault);

	while (!result && (result = capture_next(&capture, last, fault)) > 0) {
		CHECK(last->captured <= last->length);
		CHECK(last->bytes >= bytes && last->bytes + last->captured <= bytes + size);
		result = 0;
		count++;
	}
	capture_close(&capture);
	return result ? result : count;
}

/* Reads what was made; how many packets. */
static int read_made(const struct made *made, struct capture_packet *last)
{
	struct fault fault = { 0 };
	int count = read_all(made->bytes, made->size, last, &fault);

	if (count < 0)
		printf("# %s\n", fault.reason);
	return count;
}

/* Has to be refused with these words. */
static void refused(const struct made *made, const char *words)
{
	struct capture_packet last;
	struct fault fault = { 0 };

	CHECK_EQUAL(read_all(made->bytes, made->size, &last, &fault), -EINVAL);
	CHECK_TEXT(fault.key, "trace");
	CHECK_TEXT(fault.reason, words);
}

TEST(pcap_of_both_orders_and_units)
{
	for (int big = 0; big < 2; big++) {
		for (int fine = 0; fine < 2; fine++) {
			struct made made = { .big = big };
			struct capture_packet last;

			made_pcap(&made, fine ? MAGIC_NS : MAGIC_US, 1);
			made_record(&made, 1, 0, packet, 16, 16);
			made_record(&made, 7, 999999, packet, 10, 40);
			CHECK_EQUAL(read_made(&made, &last), 2);
			CHECK_EQUAL(last.time_ns, 7 * SECOND + (fine ? 999999 : 999999000));
			CHECK_EQUAL(last.captured, 10);
			CHECK_EQUAL(last.length, 40);
			CHECK_EQUAL(last.link, 1);
		}
	}
}

TEST(pcap_of_old_versions_has_its_lengths_swapped)
{
	struct made made = { 0 };
	struct capture_packet last;

	made_pcap(&made, MAGIC_US, 1);
	made.bytes[6] = 2;
	made_32(&made, 1);
	made_32(&made, 0);
	made_32(&made, 40);
	made_32(&made, 16);
	made_bytes(&made, packet, 16);
	CHECK_EQUAL(read_made(&made, &last), 1);
	CHECK_EQUAL(last.captured, 16);
	CHECK_EQUAL(last.length, 40);
}

/* Above the link type are bits about the check sequence (draft-ietf-opsawg-pcap, section 4). */
TEST(pcap_that_has_the_check_sequences_too)
{
	struct made made = { 0 };
	struct capture_packet last;

	made_pcap(&made, MAGIC_US, 4u << 28 | 1 << 26 | 1);
	made_record(&made, 1, 0, packet, 16, 16);
	CHECK_EQUAL(read_made(&made, &last), 1);
	CHECK_EQUAL(last.link, 1);
}

/* A maker of captures writes all ones for no limit, another the shorter length for the longer. */
TEST(lengths_that_contradict_each_other_lose_no_packet)
{
	struct made made = { 0 };
	struct capture_packet last;

	made_section(&made);
	made_interface(&made, 1, 0xffffffff, 9, 0);
	made_packet(&made, 6, 0, 5, packet, 16, 1);
	made_simple(&made, packet, 16, 16);
	CHECK_EQUAL(read_made(&made, &last), 2);
	CHECK_EQUAL(last.captured, 16);
	CHECK_EQUAL(last.length, 16);
}

TEST(pcapng_counts_time_as_the_interface_says)
{
	static const struct {
		unsigned int resolution;
		uint64_t ticks, ns;
	} cases[] = {
		{ 0, 1500000, 1500000000 }, /* microseconds unless said */
		{ 3, 1500, 1500000000 },
		{ 9, 1500000001, 1500000001 },
		{ 12, 1500000001999, 1500000001 },
		{ 0x80 | 10, 1536, 1500000000 },
		{ 0x80 | 40, 3ull << 39, 1500000000 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int big = 0; big < 2; big++) {
			struct made made = { .big = big };
			struct capture_packet last = { 0 };

			made_section(&made);
			made_interface(&made, 1, 0, cases[i].resolution, 100);
			made_packet(&made, 6, 0, cases[i].ticks, packet, 15, 60);
			CHECK_EQUAL(read_made(&made, &last), 1);
			CHECK_EQUAL(last.time_ns, 100 * SECOND + cases[i].ns);
			CHECK_EQUAL(last.captured, 15);
			CHECK_EQUAL(last.length, 60);
			CHECK(last.timed);
		}
	}
}

TEST(pcapng_blocks_sections_and_interfaces)
{
	struct made made = { 0 };
	struct capture_packet last = { 0 };

	made_section(&made);
	made_interface(&made, 101, 0, 0, 0);
	made_interface(&made, 1, 0, 9, 0);
	made_packet(&made, 6, 1, 5, packet, 16, 16);
	made_block(&made, 0x0bad, "unknown.", 8);
	made_packet(&made, 2, 1, 6, packet, 13, 13);
	made.big = true;
	made_section(&made);
	made_interface(&made, 228, 12, 0, 0);
	made_simple(&made, packet, 12, 16);
	CHECK_EQUAL(read_made(&made, &last), 3);
	CHECK_EQUAL(last.link, 228);
	CHECK_EQUAL(last.captured, 12);
	CHECK_EQUAL(last.length, 16);
	CHECK(!last.timed);
}

/* The interface has 32 bits in an enhanced block and 16 in its old form. */
TEST(pcapng_packets_name_one_of_many_interfaces)
{
	for (int big = 0; big < 2; big++) {
		for (unsigned int type = 2; type <= 6; type += 4) {
			struct made made = { .big = big };
			struct capture_packet last = { 0 };

			made_section(&made);
			for (uint16_t link = 1; link <= 6; link++)
				made_interface(&made, link, 0, 9, 0);
			made_packet(&made, type, 4, 5, packet, 16, 16);
			CHECK_EQUAL(read_made(&made, &last), 1);
			CHECK_EQUAL(last.link, 5);
		}
	}
}

TEST(pcapng_sections_have_each_their_own_order)
{
	struct made made = { .big = true };
	struct capture_packet last = { 0 };

	made_section(&made);
	made_interface(&made, 1, 0, 9, 0);
	made_packet(&made, 6, 0, 5, packet, 16, 16);
	made.big = false;
	made_section(&made);
	made_interface(&made, 101, 0, 9, 0);
	made_packet(&made, 6, 0, 7, packet, 16, 16);
	CHECK_EQUAL(read_made(&made, &last), 2);
	CHECK_EQUAL(last.link, 101);
	CHECK_EQUAL(last.time_ns, 7);
}

TEST(what_is_no_capture_is_refused)
{
	struct made made = { 0 };

	refused(&made, "x.pcap: at byte 0: it does not begin like a pcap or pcapng capture");
	made_bytes(&made, "GIF89a but not at all a capture", 31);
	refused(&made, "x.pcap: at byte 0: it does not begin like a pcap or pcapng capture");
}

TEST(corrupt_records_are_refused)
{
	struct made made = { 0 };

	made_pcap(&made, MAGIC_US, 1);
	made_record(&made, 1, 0, packet, 16, 16);
	made_32(&made, 2);
	made_32(&made, 0);
	made_32(&made, 0x7fffffff);
	made_32(&made, 0x7fffffff);
	refused(&made, "x.pcap: at byte 56: a packet of 2147483647 bytes is corrupt");
	memcpy(made.bytes + 60, "\0\0\0\0\x01\0\0", 8);
	refused(&made, "x.pcap: at byte 56: it breaks off: 0 bytes of a packet's 1");
}

TEST(a_time_of_more_parts_than_a_second_has_is_none)
{
	struct made made = { 0 };
	struct capture_packet last;

	made_pcap(&made, MAGIC_US, 1);
	made_record(&made, 1, 1000000, packet, 16, 16);
	CHECK_EQUAL(read_made(&made, &last), 1);
	CHECK(!last.timed);
	CHECK_EQUAL(last.captured, 16);
	made_record(&made, 2, 999999, packet, 16, 16);
	CHECK_EQUAL(read_made(&made, &last), 2);
	CHECK(last.timed);
}

TEST(corrupt_blocks_are_refused)
{
	struct made made = { 0 };

	made_section(&made);
	made_packet(&made, 6, 0, 0, packet, 16, 16);
	refused(&made, "x.pcap: at byte 28: a packet of interface 0, of which nothing is said");
	made.size = 28;
	made_interface(&made, 1, 0, 0, 0);
	made_packet(&made, 6, 0, 0, packet, 16, 16);
	made.bytes[made.size - 4] ^= 4;
	refused(&made, "x.pcap: at byte 52: a block's two lengths differ: it is corrupt");
	made.bytes[made.size - 4] ^= 4;
	made.bytes[52 + 20] = 17;
	refused(&made, "x.pcap: at byte 52: a packet of 17 bytes leaves its block");
	made.bytes[52 + 4] = 13;
	refused(&made, "x.pcap: at byte 52: a block of 13 bytes is corrupt");
	made.size = 28;
	made_interface(&made, 1, 0, 19, 0);
	refused(&made, "x.pcap: at byte 48: a time resolution of 10^-19 is not known");
}

/* Of the options of an interface, in the four bytes before the block's second length. */
TEST(options_that_leave_their_block_are_refused)
{
	struct made made = { 0 };

	made_section(&made);
	made_block(&made, 1, "\1\0\0\0\0\0\0\0\2\0\5\0", 12);
	refused(&made, "x.pcap: at byte 44: an option of 5 bytes leaves its block");
	made.bytes[46] = 0; /* an empty one, the last without an end of options */
	made_packet(&made, 6, 0, 0, packet, 16, 16);
	CHECK_EQUAL(read_made(&made, &(struct capture_packet){ 0 }), 1);
}

/* Every prefix of a capture is read up to where it breaks off, or is whole. */
static void cut_everywhere(const struct made *made)
{
	for (size_t size = 0; size < made->size; size++) {
		uint8_t *copy = malloc(size + !size); /* of its own, for the sanitizer */
		struct capture_packet last;
		struct fault fault = { 0 };
		int count;

		memcpy(copy, made->bytes, size);
		count = read_all(copy, size, &last, &fault);
		CHECK(count < 2);
		CHECK(count >= 0 || strstr(fault.reason, "x.pcap: at byte "));
		free(copy);
	}
}

TEST(captures_that_break_off_anywhere)
{
	struct made classic = { 0 };
	struct made blocks = { .big = true };

	made_pcap(&classic, MAGIC_US, 1);
	made_record(&classic, 1, 0, packet, 16, 16);
	made_record(&classic, 2, 0, packet, 16, 16);
	cut_everywhere(&classic);
	made_section(&blocks);
	made_interface(&blocks, 1, 0, 9, 5);
	made_packet(&blocks, 6, 0, 0, packet, 16, 16);
	made_packet(&blocks, 2, 0, 0, packet, 15, 16);
	cut_everywhere(&blocks);
}

/* The verdict on a frame that is in a buffer of just its length. */
static enum packet_verdict judge(const uint8_t *frame, uint32_t captured, uint32_t length,
				 uint16_t link, struct packet_view *view)
{
	uint8_t *copy = malloc(captured + !captured);
	struct capture_packet from = {
		.bytes = copy, .captured = captured, .length = length, .link = link
	};
	enum packet_verdict verdict;

	memcpy(copy, frame, captured);
	verdict = packet_read(view, &from);
	free(copy);
	return verdict;
}

TEST(packets_are_found_behind_every_link_layer)
{
	uint8_t frame[MADE_UDP_BYTES];
	uint8_t behind[MADE_UDP_BYTES + 20] = { 0 };
	struct packet_view view;

	made_udp(frame, 0x0a000001, 0x08080808, 1000, 53);
	CHECK_EQUAL(judge(frame, sizeof(frame), sizeof(frame), 1, &view), PACKET_TAKEN);
	CHECK_EQUAL(view.source_port, 1000);
	CHECK_EQUAL(view.destination_port, 53);
	CHECK_EQUAL(view.length, MADE_UDP_BYTES - 14);
	CHECK_EQUAL(judge(frame + 14, 36, 36, 101, &view), PACKET_TAKEN);
	CHECK_EQUAL(judge(frame + 14, 36, 36, 228, &view), PACKET_TAKEN);
	memcpy(behind + 16, frame + 14, 36);
	memcpy(behind + 14, "\x08\0", 2);
	CHECK_EQUAL(judge(behind, 52, 52, 113, &view), PACKET_TAKEN);
	memcpy(behind, frame, 12);
	memcpy(behind + 12, "\x81\0\0\7\x08\0", 6);
	memcpy(behind + 18, frame + 14, 36);
	CHECK_EQUAL(judge(behind, 54, 54, 1, &view), PACKET_TAKEN);
	CHECK_EQUAL(view.source_port, 1000);
}

TEST(every_frame_of_the_table_is_read_or_named)
{
	for (size_t i = 0; i < TEST_FRAMES; i++) {
		const struct test_frame *frame = &test_frames[i];
		unsigned long failures = test_failures;
		char name[UNREAD_NAME_MOST];
		struct packet_view view;

		CHECK_EQUAL(judge(frame->bytes, frame->length, frame->length, frame->link, &view),
			    frame->verdict);
		CHECK_EQUAL(view.protocol, frame->protocol);
		CHECK_EQUAL(view.source_port, frame->ports[0]);
		CHECK_EQUAL(view.destination_port, frame->ports[1]);
		if (frame->ip_bytes)
			CHECK_EQUAL(view.length, frame->ip_bytes);
		if (frame->payload_bytes)
			CHECK_EQUAL(view.payload_end - view.payload_at, frame->payload_bytes);
		if (frame->unread)
			CHECK_TEXT(unread_name(name, view.unread, view.number), frame->unread);
		if (test_failures != failures)
			printf("# %s\n", frame->name);
	}
}

/* Cut anywhere, it is at most damaged; the sanitizer looks for reads behind its end. */
TEST(every_frame_of_the_table_is_read_cut_anywhere)
{
	for (size_t i = 0; i < TEST_FRAMES; i++)
		for (uint32_t captured = 0; captured < test_frames[i].length; captured++) {
			struct packet_view view;
			enum packet_verdict verdict = judge(test_frames[i].bytes, captured,
							    test_frames[i].length,
							    test_frames[i].link, &view);

			CHECK(verdict == PACKET_DAMAGED || verdict == test_frames[i].verdict);
		}
}

TEST(what_cannot_be_replayed_is_told_apart)
{
	uint8_t frame[MADE_UDP_BYTES];
	uint8_t other[MADE_UDP_BYTES];
	struct packet_view view;

	made_udp(frame, 0x0a000001, 0x08080808, 1000, 53);
	for (uint32_t captured = 0; captured < 42; captured++)
		CHECK(judge(frame, captured, 50, 1, &view) == PACKET_DAMAGED);
	CHECK_EQUAL(judge(frame, 42, 50, 1, &view), PACKET_TAKEN);
	CHECK_EQUAL(view.captured, 28);
	CHECK_EQUAL(judge(frame, 49, 49, 1, &view), PACKET_DAMAGED);
	memcpy(other, frame, sizeof(other));
	other[20] = 0x20; /* more fragments */
	CHECK_EQUAL(judge(other, 50, 50, 1, &view), PACKET_FRAGMENT);
	memcpy(other, frame, sizeof(other));
	other[23] = 1; /* ICMP */
	CHECK_EQUAL(judge(other, 50, 50, 1, &view), PACKET_PROTOCOL);
	memcpy(other, frame, sizeof(other));
	other[13] = 6; /* ARP */
	CHECK_EQUAL(judge(other, 50, 50, 1, &view), PACKET_NOT_IP);
}

TEST(packets_of_ipv6_are_read)
{
	uint8_t ip[48] = { 0x60, 0, 0, 0, 0, 8, 17, 64, 0xfc };
	struct packet_view view;

	memcpy(ip + 40, "\x03\xe8\0\x35\0\x08", 6);
	CHECK_EQUAL(judge(ip, 48, 48, 101, &view), PACKET_TAKEN);
	CHECK_EQUAL(view.family, 6);
	CHECK_EQUAL(view.protocol, 17);
	CHECK_EQUAL(view.length, 48);
	CHECK_EQUAL(view.source - view.ip, 8);
	CHECK_EQUAL(view.destination - view.ip, 24);
	CHECK_EQUAL(view.source_port, 1000);
	CHECK_EQUAL(view.destination_port, 53);
	for (uint32_t captured = 1; captured < 48; captured++)
		CHECK_EQUAL(judge(ip, captured, 48, 101, &view), PACKET_DAMAGED);
	ip[6] = 44;
	CHECK_EQUAL(judge(ip, 48, 48, 101, &view), PACKET_FRAGMENT);
	ip[6] = 58; /* ICMPv6 */
	CHECK_EQUAL(judge(ip, 48, 48, 101, &view), PACKET_PROTOCOL);
}
