// SPDX-License-Identifier: Apache-2.0
/* The format of blocks: sections, their interfaces, their packets. */
#include "replay/pcapng.h"
#include "bpf/wraps.h"

#include <errno.h>
#include <stdlib.h>

#define SECTION 0x0a0d0d0a
#define INTERFACE 1
#define OLD_PACKET 2
#define SIMPLE_PACKET 3
#define PACKET 6
#define ORDER 0x1a2b3c4d

#define BLOCK_BYTES 12 /* type, length, and the length again at its end */
#define SECTION_BYTES 28
#define INTERFACE_BYTES 20
#define SIMPLE_BYTES 16
#define PACKET_BYTES 32
#define PACKET_AT 28 /* the packet in its block, new or old */
#define SIMPLE_AT 12

#define OPTION_END 0
#define OPTION_RESOLUTION 9
#define OPTION_OFFSET 14

#define INTERFACES_MAX 65536
#define NS_PER_S 1000000000u
#define NS_DIGITS 9
#define FINE_BITS 34 /* a fraction of so many bits times 10^9 fits into 64 */

struct block {
	size_t at;
	uint32_t type, length;
};

static uint64_t power_of_ten(unsigned int digits)
{
	uint64_t power = 1;

	for (; digits; digits--)
		power *= 10;
	return power;
}

/*
 * Ticks of an interface as ns; what does not fit into 64 bits wraps, which only damaged files have.
 */
WRAPS static uint64_t to_ns(const struct capture_interface *interface, uint64_t ticks)
{
	unsigned int bits = interface->digits;
	uint64_t fraction, ns;

	if (!interface->binary && bits <= NS_DIGITS) {
		ns = ticks * power_of_ten(NS_DIGITS - bits);
	} else if (!interface->binary) {
		ns = ticks / power_of_ten(bits - NS_DIGITS);
	} else {
		fraction = ticks & ((1ull << bits) - 1);
		ns = (ticks >> bits) * NS_PER_S;
		if (bits > FINE_BITS) {
			fraction >>= bits - FINE_BITS;
			bits = FINE_BITS;
		}
		ns += fraction * NS_PER_S >> bits;
	}
	return ns + interface->offset_ns;
}

static int read_resolution(const struct capture *capture, struct capture_interface *interface,
			   size_t at, struct fault *fault)
{
	uint8_t value = capture->bytes[at];

	interface->binary = value & 0x80;
	interface->digits = value & 0x7f;
	if (interface->digits > (interface->binary ? 63 : 18))
		return capture_fault(capture, fault, at, "a time resolution of %s^-%u is not known",
				     interface->binary ? "2" : "10", interface->digits);
	return 0;
}

/* Modulo 2^64: a negative offset is a large one. */
WRAPS static void read_offset(const struct capture *capture, struct capture_interface *interface,
			      size_t at)
{
	uint64_t first = capture_u32(capture, at);
	uint64_t second = capture_u32(capture, at + 4);

	interface->offset_ns =
		(capture->big ? first << 32 | second : second << 32 | first) * NS_PER_S;
}

static int read_options(const struct capture *capture, struct capture_interface *interface,
			size_t at, size_t end, struct fault *fault)
{
	while (end - at >= 4) {
		uint16_t code = capture_u16(capture, at);
		uint32_t length = capture_u16(capture, at + 2);
		uint32_t padded = (length + 3) & ~3u;
		int error = 0;

		if (code == OPTION_END)
			return 0;
		if (padded > end - at - 4)
			return capture_fault(capture, fault, at,
					     "an option of %u bytes leaves its block", length);
		if (code == OPTION_RESOLUTION && length == 1)
			error = read_resolution(capture, interface, at + 4, fault);
		else if (code == OPTION_OFFSET && length == 8)
			read_offset(capture, interface, at + 4);
		if (error)
			return error;
		at += 4 + padded;
	}
	return 0;
}

/* Room for one more; sizes are powers of two. */
static int grow(struct capture *capture, struct fault *fault)
{
	size_t count = capture->interfaces;
	void *more;

	if (count && count & (count - 1))
		return 0;
	more = realloc(capture->interface, (count ? 2 * count : 1) * sizeof(*capture->interface));
	if (!more)
		return fault_system(fault, -ENOMEM, "trace", "the capture's interfaces");
	capture->interface = more;
	return 0;
}

static int read_interface(struct capture *capture, const struct block *block, struct fault *fault)
{
	struct capture_interface *interface;
	int error;

	if (block->length < INTERFACE_BYTES || capture->interfaces == INTERFACES_MAX)
		return capture_fault(capture, fault, block->at, "an interface block is corrupt");
	error = grow(capture, fault);
	if (error)
		return error;
	interface = &capture->interface[capture->interfaces++];
	*interface = (struct capture_interface){
		.link = capture_u16(capture, block->at + 8),
		.snap_bytes = capture_u32(capture, block->at + 12),
		.digits = 6, /* microseconds, unless an option changes it */
	};
	return read_options(capture, interface, block->at + 16, block->at + block->length - 4,
			    fault);
}

/* A section's byte order has to be known before its length can be read. */
static int read_section(struct capture *capture, struct fault *fault)
{
	if (capture->size - capture->at < SECTION_BYTES)
		return capture_fault(capture, fault, capture->at,
				     "it breaks off: %zu bytes of a section header's %d",
				     capture->size - capture->at, SECTION_BYTES);
	capture->big = false;
	if (capture_u32(capture, capture->at + 8) != ORDER)
		capture->big = true;
	if (capture_u32(capture, capture->at + 8) != ORDER)
		return capture_fault(capture, fault, capture->at + 8,
				     "the section's byte order is corrupt");
	if (capture_u16(capture, capture->at + 12) != 1)
		return capture_fault(capture, fault, capture->at + 12,
				     "pcapng of version %u is not known",
				     capture_u16(capture, capture->at + 12));
	if (capture_u32(capture, capture->at + 4) < SECTION_BYTES)
		return capture_fault(capture, fault, capture->at + 4,
				     "the section header's length is corrupt");
	capture->interfaces = 0;
	return 0;
}

/* 1: a block, wholly inside the file; 0: the end. */
static int next_block(struct capture *capture, struct block *block, struct fault *fault)
{
	size_t left = capture->size - capture->at;
	int error = 0;

	if (!left)
		return 0;
	if (left < BLOCK_BYTES)
		return capture_fault(capture, fault, capture->at,
				     "it breaks off: %zu bytes of a block's %d at least", left,
				     BLOCK_BYTES);
	block->at = capture->at;
	block->type = capture_u32(capture, capture->at);
	if (block->type == SECTION)
		error = read_section(capture, fault);
	if (error)
		return error;
	block->length = capture_u32(capture, capture->at + 4);
	if (block->length < BLOCK_BYTES || block->length % 4)
		return capture_fault(capture, fault, capture->at, "a block of %u bytes is corrupt",
				     block->length);
	if (block->length > left)
		return capture_fault(capture, fault, capture->at,
				     "it breaks off: %zu bytes of a block's %u", left,
				     block->length);
	if (capture_u32(capture, block->at + block->length - 4) != block->length)
		return capture_fault(capture, fault, block->at,
				     "a block's two lengths differ: it is corrupt");
	capture->at += block->length;
	return 1;
}

/* Enhanced packet block and its old form: they differ in how they name the interface. */
static int read_packet(const struct capture *capture, const struct block *block,
		       struct capture_packet *packet, struct fault *fault)
{
	uint32_t interface = block->type == PACKET ? capture_u32(capture, block->at + 8)
						   : capture_u16(capture, block->at + 8);

	if (block->length < PACKET_BYTES)
		return capture_fault(capture, fault, block->at, "a packet block is corrupt");
	if (interface >= capture->interfaces)
		return capture_fault(capture, fault, block->at,
				     "a packet of interface %u, of which nothing is said",
				     interface);
	packet->captured = capture_u32(capture, block->at + 20);
	packet->length = capture_u32(capture, block->at + 24);
	if (packet->captured > CAPTURE_PACKET_MAX ||
	    packet->captured > block->length - PACKET_BYTES)
		return capture_fault(capture, fault, block->at,
				     "a packet of %u bytes leaves its block", packet->captured);
	packet->link = capture->interface[interface].link;
	packet->bytes = capture->bytes + block->at + PACKET_AT;
	packet->timed = true;
	packet->time_ns = to_ns(&capture->interface[interface],
				(uint64_t)capture_u32(capture, block->at + 12) << 32 |
					capture_u32(capture, block->at + 16));
	return 1;
}

static int read_simple(const struct capture *capture, const struct block *block,
		       struct capture_packet *packet, struct fault *fault)
{
	if (block->length < SIMPLE_BYTES)
		return capture_fault(capture, fault, block->at, "a packet block is corrupt");
	if (!capture->interfaces)
		return capture_fault(capture, fault, block->at,
				     "a packet before any interface is described");
	packet->length = capture_u32(capture, block->at + 8);
	packet->captured = packet->length;
	if (capture->interface->snap_bytes && packet->captured > capture->interface->snap_bytes)
		packet->captured = capture->interface->snap_bytes;
	if (packet->captured > CAPTURE_PACKET_MAX ||
	    packet->captured > block->length - SIMPLE_BYTES)
		return capture_fault(capture, fault, block->at,
				     "a packet of %u bytes leaves its block", packet->captured);
	packet->link = capture->interface->link;
	packet->bytes = capture->bytes + block->at + SIMPLE_AT;
	return 1;
}

static int pcapng_next(struct capture *capture, struct capture_packet *packet, struct fault *fault)
{
	struct block block;
	int result;

	while ((result = next_block(capture, &block, fault)) > 0) {
		*packet = (struct capture_packet){ .at = block.at };
		if (block.type == PACKET || block.type == OLD_PACKET)
			result = read_packet(capture, &block, packet, fault);
		else if (block.type == SIMPLE_PACKET)
			result = read_simple(capture, &block, packet, fault);
		else if (block.type == INTERFACE)
			result = read_interface(capture, &block, fault);
		else
			result = 0;
		if (packet->length < packet->captured)
			packet->length = packet->captured;
		if (result)
			return result;
	}
	return result;
}

int pcapng_open(struct capture *capture, struct fault *fault)
{
	int error = read_section(capture, fault);

	capture->next = pcapng_next;
	return error;
}
