// SPDX-License-Identifier: Apache-2.0
/* Received frames; no field is trusted. */
#include "frame/parse.h"
#include "frame/checksum.h"
#include "frame/frame.h"
#include "frame/mark.h"
#include "frame/tagged.h"

#define PROTOCOL_UDP 17
#define FRAME_LEAST 64

struct datagram {
	const uint8_t *udp;
	size_t length; /* IP's own; all of it is captured */
	uint64_t pseudo_sum; /* addresses and protocol */
};

/* Length on the wire with FCS: a sender's device pads what is short. */
static uint32_t wire_bytes(size_t length)
{
	return length + FCS_BYTES < FRAME_LEAST ? FRAME_LEAST : (uint32_t)length + FCS_BYTES;
}

static enum arrival_kind parse_ipv4(struct datagram *datagram, const uint8_t *ip, size_t captured)
{
	size_t header = (size_t)(ip[0] & 15) * 4;
	size_t total;

	if (captured < IPV4_BYTES || ip[0] >> 4 != 4 || header < IPV4_BYTES || captured < header)
		return ARRIVAL_FOREIGN;
	if (checksum_fold(checksum_sum(ip, header)) != 0xffff)
		return ARRIVAL_IP_SUM;
	total = be16_load(ip + 2);
	/* A fragment is none of our packets: all have DF. */
	if (ip[9] != PROTOCOL_UDP || be16_load(ip + 6) & 0x3fff || total < header ||
	    total > captured)
		return ARRIVAL_FOREIGN;
	datagram->udp = ip + header;
	datagram->length = total - header;
	datagram->pseudo_sum = checksum_sum(ip + 12, 8) + PROTOCOL_UDP;
	return ARRIVAL_TEST;
}

static enum arrival_kind parse_ipv6(struct datagram *datagram, const uint8_t *ip, size_t captured)
{
	size_t length;

	if (captured < IPV6_BYTES || ip[0] >> 4 != 6 || ip[6] != PROTOCOL_UDP)
		return ARRIVAL_FOREIGN;
	length = be16_load(ip + 4);
	if (length > captured - IPV6_BYTES)
		return ARRIVAL_FOREIGN;
	datagram->udp = ip + IPV6_BYTES;
	datagram->length = length;
	datagram->pseudo_sum = checksum_sum(ip + 8, 32) + PROTOCOL_UDP;
	return ARRIVAL_TEST;
}

static enum arrival_kind parse_header(struct arrival *arrival, const uint8_t *payload,
				      size_t length, const struct siphash_key *key)
{
	if (!key)
		return header_read(&arrival->header, payload, length) ? ARRIVAL_TEST
								      : ARRIVAL_FOREIGN;
	if (length < HEADER_BYTES)
		return ARRIVAL_FOREIGN;
	return tagged_read(&arrival->header, payload, key) ? ARRIVAL_TEST : ARRIVAL_FORGED;
}

static enum arrival_kind parse_udp(struct arrival *arrival, const struct datagram *datagram,
				   bool checked, const struct siphash_key *key)
{
	const uint8_t *udp = datagram->udp;
	size_t length;

	if (datagram->length < UDP_BYTES)
		return ARRIVAL_FOREIGN;
	length = be16_load(udp + 4);
	if (length < UDP_BYTES || length > datagram->length)
		return ARRIVAL_FOREIGN;
	/*
	 * The sender always sets a checksum, so none (0) is a wrong one: the kernel calls it valid.
	 */
	if (!be16_load(udp + 6))
		return ARRIVAL_NO_SUM;
	if (!checked &&
	    checksum_fold(datagram->pseudo_sum + length + checksum_sum(udp, length)) != 0xffff)
		return ARRIVAL_UDP_SUM;
	arrival->source_port = be16_load(udp);
	return parse_header(arrival, udp + UDP_BYTES, length - UDP_BYTES, key);
}

void parse_frame(struct arrival *arrival, const uint8_t *frame, size_t length, size_t captured,
		 bool checked, const struct siphash_key *key)
{
	struct datagram datagram;
	uint16_t type;

	arrival->frame_bytes = wire_bytes(length);
	arrival->kind = ARRIVAL_FOREIGN;
	arrival->mark = MARK_UNKNOWN;
	if (captured <= ETHERNET_BYTES)
		return;
	type = be16_load(frame + 12);
	frame += ETHERNET_BYTES;
	captured -= ETHERNET_BYTES;
	if (type == 0x0800)
		arrival->kind = parse_ipv4(&datagram, frame, captured);
	else if (type == 0x86dd)
		arrival->kind = parse_ipv6(&datagram, frame, captured);
	if (arrival->kind != ARRIVAL_TEST)
		return;
	arrival->mark = mark_read(frame);
	arrival->kind = parse_udp(arrival, &datagram, checked, key);
}

void parse_payload(struct arrival *arrival, const uint8_t *payload, size_t length, int family,
		   const struct siphash_key *key)
{
	arrival->frame_bytes = wire_bytes(frame_overhead(family) + length);
	arrival->mark = MARK_UNKNOWN;
	arrival->kind = parse_header(arrival, payload, length, key);
}
