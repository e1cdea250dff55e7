/* SPDX-License-Identifier: Apache-2.0 */
#include "program/frames.h"

#include "gm/checksum.h"
#include "gm/random.h"
#include "program/ask.h"
#include "program/file.h"
#include "program/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FILE_HEADER = 24, RECORD_HEADER = 16, ETHERNET = 1, MADE = 128 };

static struct file read_capture(const char *path)
{
	struct file file = file_read(path);

	if (file.size < FILE_HEADER || file.size > 1UL << 30)
		fail(2, "%s is no capture: it has %zu bytes", path, file.size);
	return file;
}

/* A number of the file's own byte order. */
static uint32_t number(const uint8_t *bytes, int swapped)
{
	return swapped ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
				 (uint32_t)bytes[2] << 8 | bytes[3]
		       : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 |
				 (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Whether the file has the high byte first; ends the program where it is no pcap of Ethernet. */
static int high_first(const char *path, const uint8_t *bytes)
{
	uint32_t magic = number(bytes, 0);
	int swapped = magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1;

	if (!swapped && magic != 0xa1b2c3d4 && magic != 0xa1b23c4d)
		fail(2, "%s is no pcap file (a pcapng one: tshark -F pcap makes it one)", path);
	if ((number(bytes + 20, swapped) & 0xffff) != ETHERNET)
		fail(2, "%s holds no Ethernet frames", path);
	return swapped;
}

void frames_read(struct frames *frames, const char *path)
{
	struct file file = read_capture(path);
	const uint8_t *bytes = file.bytes;
	uint32_t size = (uint32_t)file.size, at = FILE_HEADER, end = 0;
	int swapped = high_first(path, bytes);

	frames->count = 0;
	frames->bytes = memory_new(size, 1);
	frames->begins = memory_new(size / RECORD_HEADER + 2, sizeof(*frames->begins));
	while (size - at >= RECORD_HEADER) {
		uint32_t length = number(bytes + at + 8, swapped);

		at += RECORD_HEADER;
		if (length > size - at)
			break;
		memcpy(frames->bytes + end, bytes + at, length);
		frames->begins[frames->count++] = end;
		at += length;
		end += length;
	}
	frames->begins[frames->count] = end;
	file_free(&file);
	if (!frames->count)
		fail(2, "%s holds no frame", path);
}

static void store16(uint8_t *bytes, uint32_t value)
{
	bytes[0] = (uint8_t)(value >> 8);
	bytes[1] = (uint8_t)value;
}

static void store32(uint8_t *bytes, uint32_t value)
{
	store16(bytes, value >> 16);
	store16(bytes + 2, value);
}

void frames_udp(uint8_t *frame, uint32_t source, uint32_t destination, uint32_t ports)
{
	uint8_t pseudo[12 + 26] = { 0 };

	memset(frame, 0, 60);
	store16(frame + 12, 0x0800);
	store16(frame + 14, 0x4500);
	store16(frame + 16, 46);
	store16(frame + 22, 0x4011); /* TTL 64, UDP */
	store32(frame + 26, source);
	store32(frame + 30, destination);
	store16(frame + 24, gm_checksum(frame + 14, 20));
	store32(frame + 34, ports);
	store16(frame + 38, 26);
	memcpy(pseudo, frame + 26, 8);
	pseudo[9] = 17;
	store16(pseudo + 10, 26);
	memcpy(pseudo + 12, frame + 34, 26);
	store16(frame + 40, gm_checksum(pseudo, sizeof(pseudo)));
}

/* IPv6 with an extension header before TCP or UDP. Returns its length. */
static uint32_t make_ipv6(uint8_t *frame, uint32_t protocol)
{
	memset(frame, 0, MADE);
	store16(frame + 12, 0x86dd);
	frame[14] = 0x60;
	store16(frame + 18, 8 + 20);
	frame[20] = 60;
	frame[54] = (uint8_t)protocol;
	return 14 + 40 + 8 + 20;
}

static uint32_t make_ipv4(uint8_t *frame, struct gm_random *random, uint32_t protocol)
{
	uint32_t source = gm_random_u32(random), destination = gm_random_u32(random);

	frames_udp(frame, source, destination, gm_random_u32(random));
	frame[23] = (uint8_t)protocol;
	return 60;
}

static uint32_t make(uint8_t *frame, struct gm_random *random)
{
	uint32_t protocol = gm_random_below(random, 4) ? 6 : 17;
	uint32_t length = gm_random_below(random, 3) ? make_ipv4(frame, random, protocol)
						     : make_ipv6(frame, protocol);

	if (gm_random_below(random, 4))
		return length;
	memmove(frame + 16, frame + 12, length - 12);
	store16(frame + 12, 0x8100);
	store16(frame + 14, gm_random_below(random, 4096));
	return length + 4;
}

void frames_make(struct frames *frames, uint32_t count)
{
	struct gm_random random = { 1 };
	uint32_t end = 0;

	frames->count = count;
	frames->bytes = memory_new(count, MADE);
	frames->begins = memory_new(count + 1, sizeof(*frames->begins));
	for (uint32_t i = 0; i < count; i++) {
		frames->begins[i] = end;
		end += make(frames->bytes + end, &random);
	}
	frames->begins[count] = end;
}

void frames_free(struct frames *frames)
{
	free(frames->bytes);
	free(frames->begins);
}
