// SPDX-License-Identifier: Apache-2.0
#include "bpf/tag.h"
#include "frame/bytes.h"
#include "frame/checksum.h"
#include "frame/frame.h"
#include "frame/mark.h"
#include "frame/parse.h"
#include "tests/test.h"

static uint64_t state = 7;

static struct route random_route(int family)
{
	struct route route = { .family = family,
			       .mark = (uint8_t)(test_random(&state) & MARK_MOST) };

	for (int i = 0; i < 6; i++) {
		route.next_mac[i] = (uint8_t)test_random(&state);
		route.source_mac[i] = (uint8_t)test_random(&state);
	}
	for (int i = 0; i < 16; i++) {
		route.source[i] = (uint8_t)test_random(&state);
		route.destination[i] = (uint8_t)test_random(&state);
	}
	/* Room for a step in the last byte. */
	route.source[family == 4 ? 3 : 15] &= 0x7f;
	route.destination[family == 4 ? 3 : 15] &= 0x7f;
	return route;
}

static struct packet random_packet(int family)
{
	return (struct packet){
		.frame_bytes = frame_least(family) + (uint32_t)(test_random(&state) % 1455),
		.source_port = (uint16_t)test_random(&state),
		.destination_port = (uint16_t)test_random(&state),
		.source_step = (uint8_t)(test_random(&state) & 0x7f),
		.destination_step = (uint8_t)(test_random(&state) & 0x7f),
		.header = { .run = (uint8_t)test_random(&state),
			    .flow = test_random(&state) & HEADER_FLOW_MAX,
			    .sequence = (uint32_t)test_random(&state),
			    .time_ns = test_random(&state) & 0xffffffffff },
	};
}

/* The pseudo header of RFC 768 or RFC 8200 section 8.1, byte by byte. */
static uint64_t pseudo_sum(const uint8_t *ip, int family, uint16_t udp_bytes)
{
	uint8_t pseudo[40] = { 0 };
	size_t address = family == 4 ? 4 : 16;
	size_t end = 2 * address;

	memcpy(pseudo, ip + (family == 4 ? 12 : 8), end);
	pseudo[end + (family == 4 ? 1 : 7)] = 17;
	be16_store(pseudo + end + 2, udp_bytes);
	return checksum_sum(pseudo, end + (family == 4 ? 4 : 8));
}

/* The route's, stepped on in the last byte. */
static void check_addresses(const struct route *route, const struct packet *packet,
			    const uint8_t *ip)
{
	size_t length = route->family == 4 ? 4 : 16;
	const uint8_t *source = ip + (route->family == 4 ? 12 : 8);
	const uint8_t *destination = source + length;

	CHECK(!memcmp(source, route->source, length - 1));
	CHECK(!memcmp(destination, route->destination, length - 1));
	CHECK_EQUAL(source[length - 1], route->source[length - 1] + packet->source_step);
	CHECK_EQUAL(destination[length - 1],
		    route->destination[length - 1] + packet->destination_step);
}

static void check_frame(int family)
{
	static uint8_t buffer[FRAME_MAX];
	struct route route = random_route(family);
	struct frame frame;

	memset(buffer, 0, sizeof(buffer));
	frame_build(&frame, &route, buffer);
	for (int i = 0; i < 500; i++) {
		struct packet packet = random_packet(family);
		size_t length = packet.frame_bytes - FCS_BYTES;
		const uint8_t *ip = buffer + ETHERNET_BYTES;
		const uint8_t *udp = ip + (family == 4 ? IPV4_BYTES : IPV6_BYTES);
		uint16_t udp_bytes = (uint16_t)(buffer + length - udp);
		struct arrival arrival;

		frame_fill(&frame, &packet, buffer);
		CHECK(!memcmp(buffer, route.next_mac, 6));
		CHECK(!memcmp(buffer + 6, route.source_mac, 6));
		CHECK_EQUAL(be16_load(udp + 4), udp_bytes);
		CHECK(be16_load(udp + 6) != 0);
		CHECK_EQUAL(checksum_fold(pseudo_sum(ip, family, udp_bytes) +
					  checksum_sum(udp, udp_bytes)),
			    0xffff);
		if (family == 4)
			CHECK_EQUAL(checksum_sum(ip, IPV4_BYTES), 0xffff);
		check_addresses(&route, &packet, ip);
		parse_frame(&arrival, buffer, length, length, false, NULL);
		CHECK_EQUAL(arrival.kind, ARRIVAL_TEST);
		CHECK_EQUAL(arrival.frame_bytes, packet.frame_bytes);
		CHECK_EQUAL(arrival.source_port, packet.source_port);
		CHECK_EQUAL(arrival.mark, route.mark);
		CHECK_EQUAL(arrival.header.run, packet.header.run);
		CHECK_EQUAL(arrival.header.flow, packet.header.flow);
		CHECK_EQUAL(arrival.header.sequence, packet.header.sequence);
		CHECK_EQUAL(arrival.header.time_ns, packet.header.time_ns);
	}
}

TEST(frame_ipv4)
{
	check_frame(4);
}

TEST(frame_ipv6)
{
	check_frame(6);
}

/* A mark leaves the version, the flow label and ECN's two bits as they were. */
TEST(a_mark_is_written_beside_what_is_there)
{
	for (unsigned int mark = 0; mark <= MARK_MOST; mark++) {
		uint8_t four[2] = { 0x45, 0xff }, six[2] = { 0x6f, 0xff };

		mark_write(four, (uint8_t)mark);
		mark_write(six, (uint8_t)mark);
		CHECK_EQUAL(mark_read(four), mark);
		CHECK_EQUAL(mark_read(six), mark);
		CHECK_EQUAL(four[0], 0x45);
		CHECK_EQUAL(four[1] & 3, 3);
		CHECK_EQUAL(six[0] >> 4, 6);
		CHECK_EQUAL(six[1] & 0x3f, 0x3f);
	}
}

TEST(frame_least_sizes)
{
	CHECK_EQUAL(frame_least(4), 64);
	CHECK_EQUAL(frame_least(6), 80);
}

static uint8_t whole[200];

static size_t build_one(int family)
{
	struct route route = random_route(family);
	struct packet packet = random_packet(family);
	struct frame frame;

	packet.frame_bytes = 120;
	memset(whole, 0, sizeof(whole));
	frame_build(&frame, &route, whole);
	frame_fill(&frame, &packet, whole);
	return packet.frame_bytes - FCS_BYTES;
}

static enum arrival_kind kind_of(size_t length, bool checked)
{
	struct arrival arrival;

	parse_frame(&arrival, whole, length, length, checked, NULL);
	return arrival.kind;
}

/* Behind the MAC addresses no bit may change unnoticed: nothing stays a sound test packet. */
TEST(parse_sees_every_flipped_bit)
{
	for (int family = 4; family <= 6; family += 2) {
		size_t length = build_one(family);

		for (size_t bit = 12 * 8; bit < length * 8; bit++) {
			uint8_t mask = (uint8_t)(1 << bit % 8);
			size_t at = bit / 8;
			/* Traffic class, flow label and hop limit: no checksum covers them. */
			bool covered = family == 4 || at < 14 || at > 21 || at == 18 || at == 19;

			whole[at] ^= mask;
			if (covered && !(at == 14 && mask < 16) && at != 20)
				CHECK(kind_of(length, false) != ARRIVAL_TEST);
			whole[at] ^= mask;
		}
		CHECK_EQUAL(kind_of(length, false), ARRIVAL_TEST);
	}
}

TEST(parse_refuses_what_is_cut)
{
	for (int family = 4; family <= 6; family += 2) {
		size_t length = build_one(family);

		for (size_t cut = 0; cut < length; cut++)
			CHECK(kind_of(cut, true) != ARRIVAL_TEST);
	}
}

TEST(parse_counts_a_missing_checksum_as_corrupt)
{
	size_t length = build_one(4);

	be16_store(whole + ETHERNET_BYTES + IPV4_BYTES + 6, 0);
	CHECK_EQUAL(kind_of(length, false), ARRIVAL_NO_SUM);
	CHECK_EQUAL(kind_of(length, true), ARRIVAL_NO_SUM);
	/* CHECKSUM_PARTIAL: the pseudo header's sum, which the device would have completed. */
	be16_store(whole + ETHERNET_BYTES + IPV4_BYTES + 6, 1);
	CHECK_EQUAL(kind_of(length, false), ARRIVAL_UDP_SUM);
	CHECK_EQUAL(kind_of(length, true), ARRIVAL_TEST);
}

/* UDP's own length must not reach beyond IP's, be there padding or not. */
TEST(parse_refuses_udp_longer_than_its_packet)
{
	for (int family = 4; family <= 6; family += 2) {
		size_t length = build_one(family);
		size_t udp = ETHERNET_BYTES + (family == 4 ? IPV4_BYTES : IPV6_BYTES);

		be16_store(whole + udp + 4, (uint16_t)(length - udp + 1));
		CHECK_EQUAL(kind_of(length + 10, true), ARRIVAL_FOREIGN);
		be16_store(whole + udp + 4, (uint16_t)(length - udp - 1));
		CHECK_EQUAL(kind_of(length + 10, true), ARRIVAL_TEST);
		be16_store(whole + udp + 4, UDP_BYTES - 1);
		CHECK_EQUAL(kind_of(length, true), ARRIVAL_FOREIGN);
	}
}

TEST(parse_takes_padding)
{
	struct arrival arrival;
	size_t length = build_one(4);

	parse_frame(&arrival, whole, length + 10, length + 10, false, NULL);
	CHECK_EQUAL(arrival.kind, ARRIVAL_TEST);
	CHECK_EQUAL(arrival.frame_bytes, length + 10 + FCS_BYTES);
}

TEST(parse_payloads)
{
	const struct header header = { .run = 1, .flow = 2, .sequence = 3, .time_ns = 4 };
	uint8_t payload[HEADER_BYTES + 4] = { 0 };
	struct arrival arrival;

	header_write(payload, &header);
	parse_payload(&arrival, payload, sizeof(payload), 4, NULL);
	CHECK_EQUAL(arrival.kind, ARRIVAL_TEST);
	CHECK_EQUAL(arrival.frame_bytes, 64);
	parse_payload(&arrival, payload, sizeof(payload), 6, NULL);
	CHECK_EQUAL(arrival.frame_bytes, 84);
	parse_payload(&arrival, payload, HEADER_BYTES - 1, 4, NULL);
	CHECK_EQUAL(arrival.kind, ARRIVAL_FOREIGN);
}

/* A tag is covered by the checksum, and read by who has its key alone. */
TEST(frames_with_a_tag)
{
	const struct siphash_key key = { 1, 2 }, other = { 1, 3 };

	for (int family = 4; family <= 6; family += 2) {
		struct route route = random_route(family);
		struct packet packet = random_packet(family);
		struct arrival arrival;
		struct frame frame;
		size_t length;

		packet.frame_bytes = 120;
		packet.header.flow &= (1 << TAG_FLOW_BITS) - 1;
		length = packet.frame_bytes - FCS_BYTES;
		route.key = &key;
		memset(whole, 0, sizeof(whole));
		frame_build(&frame, &route, whole);
		frame_fill(&frame, &packet, whole);
		parse_frame(&arrival, whole, length, length, false, &key);
		CHECK_EQUAL(arrival.kind, ARRIVAL_TEST);
		CHECK_EQUAL(arrival.header.sequence, packet.header.sequence);
		parse_frame(&arrival, whole, length, length, false, &other);
		CHECK_EQUAL(arrival.kind, ARRIVAL_FORGED);
		CHECK_EQUAL(arrival.header.sequence, packet.header.sequence);
		parse_frame(&arrival, whole, length, length, false, NULL);
		CHECK(arrival.kind == ARRIVAL_FOREIGN ||
		      whole[frame_overhead(family)] == HEADER_MAGIC);
	}
}
