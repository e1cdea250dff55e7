/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums, CRCs, header parsing and address translation. */
#include "gm/checksum.h"
#include "gm/crc32.h"
#include "gm/nat.h"
#include "gm/packet.h"
#include "gm/random.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

/* The sum as RFC 1071 defines it, word by word. */
static uint16_t summed(const uint8_t *bytes, size_t count)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
		sum = (sum & 0xffff) + (sum >> 16);
	}
	return (uint16_t)~sum;
}

static void random_bytes(struct gm_random *random, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = (uint8_t)gm_random_u32(random);
}

static void a_checksum_is_the_published_one(void)
{
	const uint8_t header[20] = { 0x45, 0, 0,    0x73, 0, 0, 0x40, 0,    0x40, 0x11,
				     0,	   0, 0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0,	  0xc7 };

	CHECK(gm_checksum(header, sizeof(header)) == 0xb861);
}

static void a_checksum_is_that_of_single_words(void)
{
	struct gm_random random = { 1 };
	uint8_t bytes[80];

	random_bytes(&random, bytes, sizeof(bytes));
	for (size_t begin = 0; begin < 4; begin++) {
		for (size_t count = 0; count <= 64; count++)
			CHECK(gm_checksum(bytes + begin, count) == summed(bytes + begin, count));
	}
	memset(bytes, 0xff, sizeof(bytes));
	CHECK(gm_checksum(bytes, 64) == 0);
	memset(bytes, 0, sizeof(bytes));
	CHECK(gm_checksum(bytes, 64) == 0xffff);
}

static void an_incremental_checksum_is_the_published_one(void)
{
	CHECK(gm_checksum_update(0xdd2f, 0x5555, 0x3285) == 0);
}

static void put16(uint8_t *bytes, uint16_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void an_incremental_checksum_is_the_whole_one(void)
{
	struct gm_random random = { 2 };
	uint8_t header[20];

	for (int i = 0; i < 10000; i++) {
		uint32_t word = gm_random_below(&random, 8);
		uint16_t checksum, old, now = (uint16_t)gm_random_u32(&random);

		random_bytes(&random, header, sizeof(header));
		if (i % 3 == 0)
			now = i % 2 ? 0xffff : 0;
		checksum = gm_checksum(header, sizeof(header));
		old = gm_packet_u16(header + 2 * word);
		put16(header + 2 * word, now);
		CHECK(gm_checksum_update(checksum, old, now) ==
		      gm_checksum(header, sizeof(header)));
	}
}

static void a_crc_is_the_published_one(void)
{
	const uint8_t *digits = (const uint8_t *)"123456789";
	static struct gm_crc32 crc32;

	gm_crc32_init(&crc32, GM_CRC32_ETHERNET);
	CHECK(gm_crc32_bytewise(&crc32, 0, digits, 9) == 0xcbf43926);
	CHECK(gm_crc32_sliced(&crc32, 0, digits, 9) == 0xcbf43926);
	gm_crc32_init(&crc32, GM_CRC32_CASTAGNOLI);
	CHECK(gm_crc32_bytewise(&crc32, 0, digits, 9) == 0xe3069283);
	CHECK(gm_crc32_sliced(&crc32, 0, digits, 9) == 0xe3069283);
}

static void a_crc_is_the_same_in_every_way_and_in_parts(void)
{
	static struct gm_crc32 crc32;
	struct gm_random random = { 3 };
	uint8_t bytes[96];

	random_bytes(&random, bytes, sizeof(bytes));
	gm_crc32_init(&crc32, GM_CRC32_CASTAGNOLI);
	for (size_t count = 0; count <= 80; count++) {
		uint32_t whole = gm_crc32_bytewise(&crc32, 0, bytes + count % 5, count);
		uint32_t half = gm_crc32_sliced(&crc32, 0, bytes + count % 5, count / 3);

		CHECK(gm_crc32_sliced(&crc32, 0, bytes + count % 5, count) == whole);
		CHECK(gm_crc32_sliced(&crc32, half, bytes + count % 5 + count / 3,
				      count - count / 3) == whole);
#ifdef __x86_64__
		if (__builtin_cpu_supports("sse4.2"))
			CHECK(gm_crc32c_sse42(0, bytes + count % 5, count) == whole);
#endif
	}
}

enum { FRAME = 64 };

/* A frame of 60 bytes with `tags` VLAN tags: IPv4 and a transport header of this protocol. */
static uint32_t ipv4_frame(uint8_t *frame, uint32_t tags, uint8_t protocol)
{
	uint8_t *header = frame + 14 + 4 * tags;

	memset(frame, 0, FRAME + 8);
	for (uint32_t i = 0; i < tags; i++)
		put16(frame + 12 + 4 * i, i + 1 < tags ? 0x88a8 : 0x8100);
	put16(frame + 12 + 4 * tags, 0x0800);
	header[0] = 0x45;
	put16(header + 2, 46);
	header[8] = 64;
	header[9] = protocol;
	memcpy(header + 12, "\xc0\xa8\x01\x02\x08\x08\x04\x04", 8);
	put16(header + 20, 40000);
	put16(header + 22, 53);
	put16(header + 24, 26);
	put16(header + 10, gm_checksum(header, 20));
	return FRAME + 4 * tags - 4;
}

static void headers_are_found_behind_tags(void)
{
	uint8_t frame[FRAME + 8];
	struct gm_packet packet;

	for (uint32_t tags = 0; tags <= 2; tags++) {
		uint32_t length = ipv4_frame(frame, tags, GM_PACKET_UDP);

		CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_OK);
		CHECK(packet.tags == tags && packet.version == 4 && packet.type == 0x0800);
		CHECK(packet.network == 14 + 4 * tags && packet.transport == 34 + 4 * tags);
		CHECK(packet.source_port == 40000 && packet.destination_port == 53);
		CHECK(packet.protocol == GM_PACKET_UDP && packet.end == length);
	}
}

static void a_later_fragment_has_no_ports(void)
{
	uint8_t frame[FRAME + 8];
	struct gm_packet packet;
	uint32_t length = ipv4_frame(frame, 0, GM_PACKET_UDP);

	put16(frame + 20, 0x2000); /* more follow: the first one */
	CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_OK && packet.transport == 34);
	put16(frame + 20, 0x2001);
	CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_OK && packet.transport == 0);
}

static void ipv6_extension_headers_are_passed(void)
{
	uint8_t frame[14 + 40 + 8 + 16 + 8 + 8] = { 0 };
	uint8_t *header = frame + 14;
	struct gm_packet packet;

	put16(frame + 12, 0x86dd);
	header[0] = 0x60;
	put16(header + 4, sizeof(frame) - 54);
	header[6] = 0; /* hop by hop, of 8 bytes */
	header[40] = 60; /* then destination options of 16 bytes */
	header[48] = 44; /* then a fragment header */
	header[49] = 1;
	header[64] = GM_PACKET_UDP;
	put16(header + 66, 0x0001); /* the first fragment */
	put16(header + 72, 7);
	CHECK(gm_packet_parse(&packet, frame, sizeof(frame)) == GM_PACKET_OK);
	CHECK(packet.version == 6 && packet.transport == 14 + 72 && packet.source_port == 7);
	put16(header + 66, 0x0009);
	CHECK(gm_packet_parse(&packet, frame, sizeof(frame)) == GM_PACKET_OK);
	CHECK(packet.transport == 0 && packet.protocol == GM_PACKET_UDP);
}

/* Each frame is copied to an allocation of its own size, so that a read behind it is seen. */
static void a_frame_that_ends_early_is_short(void)
{
	uint8_t frame[FRAME + 8];
	uint32_t length = ipv4_frame(frame, 1, GM_PACKET_TCP);
	struct gm_packet packet;

	for (uint32_t cut = 0; cut < length; cut++) {
		uint8_t *copy = malloc(cut ? cut : 1);

		memcpy(copy, frame, cut);
		CHECK(gm_packet_parse(&packet, copy, cut) == GM_PACKET_SHORT);
		free(copy);
	}
}

static void contradictions_are_wrong(void)
{
	uint8_t frame[FRAME + 8];
	struct gm_packet packet;
	uint32_t length = ipv4_frame(frame, 0, GM_PACKET_UDP);

	frame[14] = 0x44; /* a header of 16 bytes */
	CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_WRONG);
	frame[14] = 0x65;
	CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_WRONG);
	frame[14] = 0x45;
	put16(frame + 16, 19); /* a packet that is shorter than its header */
	CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_WRONG);
	put16(frame + 12, 0x0806);
	CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_OTHER);
}

/* The checksum of a transport header with its pseudo-header, with its own field as it is. */
static uint16_t transport_checksum(const uint8_t *frame)
{
	uint8_t text[12 + 26];

	memcpy(text, frame + 26, 8);
	text[8] = 0;
	text[9] = frame[23];
	put16(text + 10, 26);
	memcpy(text + 12, frame + 34, 26);
	return gm_checksum(text, sizeof(text));
}

static void translation_keeps_both_checksums_right(void)
{
	struct gm_random random = { 4 };

	for (int i = 0; i < 2000; i++) {
		uint8_t frame[FRAME + 8];
		uint32_t length = ipv4_frame(frame, 0, i % 2 ? GM_PACKET_UDP : GM_PACKET_TCP);
		uint32_t field = i % 2 ? 40 : 50;
		enum gm_nat_side side = i % 4 < 2 ? GM_NAT_SOURCE : GM_NAT_DESTINATION;
		uint32_t address = gm_random_u32(&random);
		uint16_t port = (uint16_t)gm_random_u32(&random);
		struct gm_packet packet;

		random_bytes(&random, frame + 42, 18);
		put16(frame + field, 0);
		put16(frame + field, transport_checksum(frame));
		CHECK(gm_packet_parse(&packet, frame, length) == GM_PACKET_OK);
		CHECK(gm_nat_rewrite(frame, &packet, side, address, port) == GM_NAT_OK);
		CHECK(gm_checksum(frame + 14, 20) == 0);
		CHECK(transport_checksum(frame) == 0);
		CHECK(frame[22] == 63);
		CHECK(gm_packet_u32(frame + (side == GM_NAT_SOURCE ? 26 : 30)) == address);
		CHECK(gm_packet_u16(frame + (side == GM_NAT_SOURCE ? 34 : 36)) == port);
	}
}

static void udp_without_a_checksum_stays_without(void)
{
	uint8_t frame[FRAME + 8];
	uint32_t length = ipv4_frame(frame, 0, GM_PACKET_UDP);
	struct gm_packet packet;

	gm_packet_parse(&packet, frame, length);
	CHECK(gm_nat_rewrite(frame, &packet, GM_NAT_SOURCE, 1, 2) == GM_NAT_OK);
	CHECK(gm_packet_u16(frame + 40) == 0);
}

static void a_udp_checksum_never_becomes_none(void)
{
	uint8_t frame[FRAME + 8];
	uint32_t length = ipv4_frame(frame, 0, GM_PACKET_UDP);
	struct gm_packet packet;

	/* Any checksum: it comes out as 0 where the port grows by as much. */
	gm_packet_parse(&packet, frame, length);
	put16(frame + 40, 0x1234);
	CHECK(gm_nat_rewrite(frame, &packet, GM_NAT_SOURCE, gm_packet_u32(frame + 26),
			     (uint16_t)(40000 + 0x1234)) == GM_NAT_OK);
	CHECK(gm_packet_u16(frame + 40) == 0xffff);
}

static void a_packet_at_its_end_is_left_as_it_was(void)
{
	uint8_t frame[FRAME + 8], before[FRAME + 8];
	uint32_t length = ipv4_frame(frame, 0, GM_PACKET_TCP);
	struct gm_packet packet;

	frame[22] = 1;
	memcpy(before, frame, sizeof(frame));
	gm_packet_parse(&packet, frame, length);
	CHECK(gm_nat_rewrite(frame, &packet, GM_NAT_SOURCE, 1, 2) == GM_NAT_TTL);
	CHECK(memcmp(frame, before, sizeof(frame)) == 0);
	frame[23] = GM_PACKET_ICMP;
	gm_packet_parse(&packet, frame, length);
	CHECK(gm_nat_rewrite(frame, &packet, GM_NAT_SOURCE, 1, 2) == GM_NAT_NO_PORTS);
}

static const struct test tests[] = {
	{ "a checksum is the published one", a_checksum_is_the_published_one },
	{ "a checksum is that of single words", a_checksum_is_that_of_single_words },
	{ "an incremental checksum is the published one",
	  an_incremental_checksum_is_the_published_one },
	{ "an incremental checksum is the whole one", an_incremental_checksum_is_the_whole_one },
	{ "a CRC is the published one", a_crc_is_the_published_one },
	{ "a CRC is the same in every way and in parts",
	  a_crc_is_the_same_in_every_way_and_in_parts },
	{ "headers are found behind tags", headers_are_found_behind_tags },
	{ "a later fragment has no ports", a_later_fragment_has_no_ports },
	{ "IPv6 extension headers are passed", ipv6_extension_headers_are_passed },
	{ "a frame that ends early is short", a_frame_that_ends_early_is_short },
	{ "contradictions are wrong", contradictions_are_wrong },
	{ "translation keeps both checksums right", translation_keeps_both_checksums_right },
	{ "UDP without a checksum stays without", udp_without_a_checksum_stays_without },
	{ "a UDP checksum never becomes none", a_udp_checksum_never_becomes_none },
	{ "a packet at its end is left as it was", a_packet_at_its_end_is_left_as_it_was },
};

TESTS_MAIN(tests)
