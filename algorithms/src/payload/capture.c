/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Capture files. pcap: a header and packets. pcapng: blocks; those read are the section's header,
 * interfaces and packets (enhanced and simple), and all others are passed over.
 */
#include "payload/capture.h"

#include "gm/match.h"

#include <string.h>

#define BLOCK_SECTION UINT32_C(0x0a0d0d0a)

enum {
	PCAP_HEADER = 24,
	PCAP_PACKET = 16,
	BLOCK_INTERFACE = 1,
	BLOCK_SIMPLE = 3,
	BLOCK_ENHANCED = 6,
	INTERFACES = 64,
};

struct capture {
	struct gm_records *records;
	const uint8_t *file;
	size_t size;
	int big_endian;
	uint32_t links[INTERFACES];
	uint32_t interfaces;
	const char **reason;
};

static uint32_t read32(const struct capture *capture, size_t at)
{
	const uint8_t *b = capture->file + at;

	if (capture->big_endian)
		return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0];
}

static uint32_t read16(const struct capture *capture, size_t at)
{
	const uint8_t *b = capture->file + at;

	return capture->big_endian ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

/* Sets the byte order so that the word at `at` has this value; 0 if it has it in none. */
static int set_order(struct capture *capture, size_t at, uint32_t value)
{
	for (capture->big_endian = 0; capture->big_endian < 2; capture->big_endian++) {
		if (read32(capture, at) == value)
			return 1;
	}
	return 0;
}

static int pcap_magic(struct capture *capture)
{
	return set_order(capture, 0, UINT32_C(0xa1b2c3d4)) ||
	       set_order(capture, 0, UINT32_C(0xa1b23c4d));
}

int gm_capture_is(const uint8_t *file, size_t size)
{
	struct capture capture = { 0 };

	capture.file = file;
	return size >= PCAP_HEADER &&
	       (pcap_magic(&capture) || read32(&capture, 0) == BLOCK_SECTION);
}

static int add_packet(struct capture *capture, size_t at, uint32_t length, uint32_t link)
{
	const uint8_t *payload = NULL;
	uint32_t bytes = gm_frame_payload(capture->file + at, length, link, &payload);

	if (bytes)
		return gm_records_add(capture->records, payload, bytes);
	capture->records->skipped++;
	return GM_MATCH_OK;
}

static int cut_off(struct capture *capture)
{
	*capture->reason = "the capture is cut off or damaged";
	return GM_MATCH_INPUT;
}

static int read_pcap(struct capture *capture)
{
	uint32_t link = read32(capture, 20) & 0xffff;
	size_t at = PCAP_HEADER;

	while (capture->size - at >= PCAP_PACKET) {
		uint32_t length = read32(capture, at + 8);
		int status;

		at += PCAP_PACKET;
		if (length > capture->size - at)
			return cut_off(capture);
		status = add_packet(capture, at, length, link);
		if (status != GM_MATCH_OK)
			return status;
		at += length;
	}
	return at == capture->size ? GM_MATCH_OK : cut_off(capture);
}

/* A packet's block: its header of `header` bytes, and the captured length in it or at most `room`. */
static int add_block(struct capture *capture, size_t at, uint32_t block, uint32_t header,
		     uint32_t interface, uint32_t captured)
{
	uint32_t room = block - header - 4;

	if (interface >= capture->interfaces || capture->links[interface] == UINT32_MAX)
		return cut_off(capture);
	return add_packet(capture, at + header, captured < room ? captured : room,
			  capture->links[interface]);
}

static int read_block(struct capture *capture, size_t at, uint32_t block)
{
	switch (read32(capture, at)) {
	case BLOCK_SECTION:
		capture->interfaces = 0;
		return GM_MATCH_OK;
	case BLOCK_INTERFACE:
		if (block < 20 || capture->interfaces == INTERFACES)
			return cut_off(capture);
		capture->links[capture->interfaces++] = read16(capture, at + 8);
		return GM_MATCH_OK;
	case BLOCK_SIMPLE:
		if (block < 16)
			return cut_off(capture);
		return add_block(capture, at, block, 12, 0, read32(capture, at + 8));
	case BLOCK_ENHANCED:
		if (block < 32)
			return cut_off(capture);
		return add_block(capture, at, block, 28, read32(capture, at + 8),
				 read32(capture, at + 20));
	default:
		return GM_MATCH_OK;
	}
}

static int read_pcapng(struct capture *capture)
{
	size_t at = 0;

	while (at < capture->size) {
		uint32_t block;
		int status;

		if (capture->size - at < 12)
			return cut_off(capture);
		/* Each section says its byte order. */
		if (read32(capture, at) == BLOCK_SECTION &&
		    !set_order(capture, at + 8, UINT32_C(0x1a2b3c4d)))
			return cut_off(capture);
		block = read32(capture, at + 4);
		if (block < 12 || block % 4 || block > capture->size - at)
			return cut_off(capture);
		status = read_block(capture, at, block);
		if (status != GM_MATCH_OK)
			return status;
		at += block;
	}
	return GM_MATCH_OK;
}

int gm_capture_read(struct gm_records *records, const uint8_t *file, size_t size,
		    const char **reason)
{
	struct capture capture = { 0 };

	capture.records = records;
	capture.file = file;
	capture.size = size;
	capture.reason = reason;
	if (pcap_magic(&capture))
		return read_pcap(&capture);
	return read_pcapng(&capture);
}
