// SPDX-License-Identifier: Apache-2.0
/* Captures made by a test, byte by byte, in either byte order. */
#ifndef GM_MADE_H
#define GM_MADE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MADE_ROOM 8192
#define MADE_PAYLOAD 8
#define MADE_UDP_BYTES (14 + 20 + 8 + MADE_PAYLOAD)

struct made {
	bool big;
	size_t size;
	uint8_t bytes[MADE_ROOM];
};

static inline void made_8(struct made *made, unsigned int value)
{
	made->bytes[made->size++] = (uint8_t)value;
}

static inline void made_16(struct made *made, unsigned int value)
{
	made_8(made, made->big ? value >> 8 : value);
	made_8(made, made->big ? value : value >> 8);
}

static inline void made_32(struct made *made, uint32_t value)
{
	made_16(made, made->big ? value >> 16 : value & 0xffff);
	made_16(made, made->big ? value & 0xffff : value >> 16);
}

static inline void made_bytes(struct made *made, const void *bytes, size_t count)
{
	memcpy(made->bytes + made->size, bytes, count);
	made->size += count;
}

static inline void made_pcap(struct made *made, uint32_t magic, uint32_t link)
{
	made_32(made, magic);
	made_16(made, 2);
	made_16(made, 4);
	made_32(made, 0);
	made_32(made, 0);
	made_32(made, 65535);
	made_32(made, link);
}

static inline void made_record(struct made *made, uint32_t seconds, uint32_t fraction,
			       const void *packet, uint32_t captured, uint32_t length)
{
	made_32(made, seconds);
	made_32(made, fraction);
	made_32(made, captured);
	made_32(made, length);
	made_bytes(made, packet, captured);
}

/* A block of pcapng around a body whose length is a multiple of 4. */
static inline void made_block(struct made *made, uint32_t type, const void *body, uint32_t bytes)
{
	made_32(made, type);
	made_32(made, bytes + 12);
	made_bytes(made, body, bytes);
	made_32(made, bytes + 12);
}

static inline void made_section(struct made *made)
{
	struct made body = { .big = made->big };

	made_32(&body, 0x1a2b3c4d);
	made_16(&body, 1);
	made_16(&body, 0);
	made_32(&body, UINT32_MAX);
	made_32(&body, UINT32_MAX);
	made_block(made, 0x0a0d0d0a, body.bytes, (uint32_t)body.size);
}

/* resolution 0: no such option. */
static inline void made_interface(struct made *made, unsigned int link, uint32_t snap,
				  unsigned int resolution, uint32_t offset_s)
{
	struct made body = { .big = made->big };

	made_16(&body, link);
	made_16(&body, 0);
	made_32(&body, snap);
	if (resolution) {
		made_16(&body, 9);
		made_16(&body, 1);
		made_bytes(&body, (uint8_t[4]){ (uint8_t)resolution }, 4);
	}
	if (offset_s) {
		made_16(&body, 14);
		made_16(&body, 8);
		made_32(&body, body.big ? 0 : offset_s);
		made_32(&body, body.big ? offset_s : 0);
	}
	made_32(&body, 0);
	made_block(made, 1, body.bytes, (uint32_t)body.size);
}

/* An enhanced packet block (type 6) or an old one (2). */
static inline void made_packet(struct made *made, uint32_t type, uint32_t interface, uint64_t ticks,
			       const void *packet, uint32_t captured, uint32_t length)
{
	struct made body = { .big = made->big };

	if (type == 6)
		made_32(&body, interface);
	else
		made_16(&body, interface);
	if (type != 6)
		made_16(&body, 0);
	made_32(&body, (uint32_t)(ticks >> 32));
	made_32(&body, (uint32_t)ticks);
	made_32(&body, captured);
	made_32(&body, length);
	made_bytes(&body, packet, captured);
	made_bytes(&body, "\0\0\0", (4 - captured % 4) % 4);
	made_block(made, type, body.bytes, (uint32_t)body.size);
}

static inline void made_simple(struct made *made, const void *packet, uint32_t captured,
			       uint32_t length)
{
	struct made body = { .big = made->big };

	made_32(&body, length);
	made_bytes(&body, packet, captured);
	made_bytes(&body, "\0\0\0", (4 - captured % 4) % 4);
	made_block(made, 3, body.bytes, (uint32_t)body.size);
}

/* Ethernet, IPv4 and UDP with a payload of MADE_PAYLOAD bytes; checksums are left 0. */
static inline void made_udp(uint8_t frame[MADE_UDP_BYTES], uint32_t source, uint32_t destination,
			    uint16_t source_port, uint16_t destination_port)
{
	struct made made = { .big = true };

	made_bytes(&made, "\2\0\0\0\0\1\2\0\0\0\0\2\x08\0\x45\0", 16);
	made_16(&made, MADE_UDP_BYTES - 14);
	made_bytes(&made, "\x12\x34\x40\0\x05\x11\0\0", 8);
	made_32(&made, source);
	made_32(&made, destination);
	made_16(&made, source_port);
	made_16(&made, destination_port);
	made_16(&made, 8 + MADE_PAYLOAD);
	made_16(&made, 0);
	made_bytes(&made, "payload!", MADE_PAYLOAD);
	memcpy(frame, made.bytes, MADE_UDP_BYTES);
}

#endif
