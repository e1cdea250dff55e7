// SPDX-License-Identifier: Apache-2.0
/* Test frames by an input's choices: sound ones, and what a hostile network makes of them. */
#ifndef GM_MADE_FRAME_H
#define GM_MADE_FRAME_H

#include "frame/checksum.h"
#include "frame/frame.h"
#include "fuzz/fuzz.h"

#include <stdbool.h>

#define MADE_BYTES_MAX 1600 /* on the wire, without FCS */
#define MADE_PORT 5000

struct made_frame {
	uint8_t bytes[FRAME_MAX];
	size_t length; /* without FCS */
	bool sound; /* nothing was changed */
	struct packet packet;
};

/* What is done to a sound frame; several, one after the other. */
enum change {
	CHANGE_NOTHING,
	CHANGE_BITS, /* bytes are laid over it by XOR */
	CHANGE_LENGTH, /* cut, or padded */
	CHANGE_INSERT, /* bytes are put in: VLAN tags, IPv4 options, extension headers */
	CHANGE_UDP_SUM, /* any value: also 0, and the pseudo-header's alone */
	CHANGE_FIX_IP, /* IPv4's checksum is made right again */
	CHANGE_FIX_UDP,
	CHANGES,
};

static inline void frame_raw(struct made_frame *made, struct input *input)
{
	struct input part = input_part(input, MADE_BYTES_MAX);

	memset(made, 0, sizeof(*made));
	made->length = part.left;
	if (part.left)
		memcpy(made->bytes, part.at, part.left);
}

/* Where the IP header ends by its own words; within the buffer in any case. */
static inline size_t frame_udp_at(const struct made_frame *made)
{
	const uint8_t *ip = made->bytes + ETHERNET_BYTES;

	return ETHERNET_BYTES + (ip[0] >> 4 == 6 ? IPV6_BYTES : (size_t)(ip[0] & 15) * 4);
}

/* The sum of addresses and protocol, without the length. */
static inline uint64_t frame_pseudo_sum(const struct made_frame *made)
{
	const uint8_t *ip = made->bytes + ETHERNET_BYTES;

	return 17 + (ip[0] >> 4 == 6 ? checksum_sum(ip + 8, 32) : checksum_sum(ip + 12, 8));
}

static inline void frame_fix_ip(struct made_frame *made)
{
	uint8_t *ip = made->bytes + ETHERNET_BYTES;
	size_t header = frame_udp_at(made) - ETHERNET_BYTES;

	if (ip[0] >> 4 == 6 || header < IPV4_BYTES)
		return;
	be16_store(ip + 10, 0);
	be16_store(ip + 10, (uint16_t)~checksum_fold(checksum_sum(ip, header)));
}

static inline void frame_fix_udp(struct made_frame *made)
{
	uint8_t *udp = made->bytes + frame_udp_at(made);
	size_t length = be16_load(udp + 4);
	uint16_t sum;

	if (length < UDP_BYTES || length > MADE_BYTES_MAX)
		return;
	be16_store(udp + 6, 0);
	sum = (uint16_t)~checksum_fold(frame_pseudo_sum(made) + length + checksum_sum(udp, length));
	be16_store(udp + 6, sum ? sum : 0xffff);
}

static inline void frame_xor(struct made_frame *made, struct input *input)
{
	size_t at = input_8(input) % 80;
	struct input part = input_part(input, 1 + input_8(input) % 32u);

	for (size_t i = 0; i < part.left; i++)
		made->bytes[at + i] ^= part.at[i];
}

static inline void frame_resize(struct made_frame *made, struct input *input)
{
	size_t length = input_16(input) % (2u * 128);

	/* What is cut off is not there for whoever pads it again. */
	if (length < made->length)
		memset(made->bytes + length, 0, made->length - length);
	made->length = length;
}

static inline void frame_insert(struct made_frame *made, struct input *input)
{
	size_t at = input_8(input) % 64;
	struct input part = input_part(input, input_8(input) % 44u);

	if (made->length + part.left > MADE_BYTES_MAX || at > made->length)
		return;
	memmove(made->bytes + at + part.left, made->bytes + at, made->length - at);
	if (part.left)
		memcpy(made->bytes + at, part.at, part.left);
	made->length += part.left;
}

static inline void frame_set_udp_sum(struct made_frame *made, struct input *input)
{
	uint8_t *udp = made->bytes + frame_udp_at(made);
	uint16_t sum = input_16(input);

	if (sum == 1) /* CHECKSUM_PARTIAL: the device was to add the rest */
		sum = checksum_fold(frame_pseudo_sum(made) + be16_load(udp + 4));
	be16_store(udp + 6, sum);
}

static inline void frame_change(struct made_frame *made, struct input *input)
{
	uint8_t change = input_8(input) % CHANGES;

	if (change == CHANGE_NOTHING)
		return;
	made->sound = false;
	if (change == CHANGE_BITS)
		frame_xor(made, input);
	else if (change == CHANGE_LENGTH)
		frame_resize(made, input);
	else if (change == CHANGE_INSERT)
		frame_insert(made, input);
	else if (change == CHANGE_UDP_SUM)
		frame_set_udp_sum(made, input);
	else if (change == CHANGE_FIX_IP)
		frame_fix_ip(made);
	else
		frame_fix_udp(made);
}

/* A header of one of these flows. */
static inline struct header frame_header(struct input *input, uint8_t run, uint32_t flows)
{
	struct header header = { 0 };

	header.run = run;
	header.flow = input_8(input) % flows;
	header.time_ns = input_64(input) >> 25;
	return header;
}

/* Built as the sender builds it, and then changed or not. `key`: of a tagged header; NULL: none. */
static inline void frame_make(struct made_frame *made, struct input *input, int family,
			      const struct header *header, const struct siphash_key *key)
{
	const struct route route = { .family = family,
				     .key = key,
				     .source_mac = { 2, 0, 0, 0, 0, 1 },
				     .next_mac = { 2, 0, 0, 0, 0, 2 },
				     .source = { 10, 0, 0, 1 },
				     .destination = { 10, 0, 0, 2 } };
	uint32_t least = frame_least(family);
	struct frame template;

	memset(made, 0, sizeof(*made));
	made->sound = true;
	made->packet.source_port = input_16(input);
	made->packet.destination_port = MADE_PORT;
	made->packet.header = *header;
	made->packet.frame_bytes = least + input_16(input) % (MADE_BYTES_MAX + FCS_BYTES - least);
	frame_build(&template, &route, made->bytes);
	frame_fill(&template, &made->packet, made->bytes);
	made->length = made->packet.frame_bytes - FCS_BYTES;
	for (uint8_t changes = input_8(input) % 8; changes; changes--)
		frame_change(made, input);
}

#endif
