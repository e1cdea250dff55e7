// SPDX-License-Identifier: Apache-2.0
/* The classic format: a header, then packets, each behind a record of 16 bytes. */
#include "replay/pcap.h"

#include <errno.h>

#define MAGIC_US 0xa1b2c3d4
#define MAGIC_NS 0xa1b23c4d
#define HEADER_BYTES 24
#define RECORD_BYTES 16
#define NS_PER_S 1000000000u

/* Finds byte order and unit of time by the magic number. */
bool pcap_recognise(struct capture *capture)
{
	for (int big = 0; big < 2; big++) {
		uint32_t magic;

		capture->big = big;
		magic = capture_u32(capture, 0);
		capture->tick_ns = magic == MAGIC_NS ? 1 : 1000;
		if (magic == MAGIC_US || magic == MAGIC_NS)
			return true;
	}
	return false;
}

/* Version 2.2 and older wrote the two lengths the other way round, 2.3 sometimes did. */
static void read_lengths(const struct capture *capture, struct capture_packet *packet)
{
	uint32_t first = capture_u32(capture, capture->at + 8);
	uint32_t second = capture_u32(capture, capture->at + 12);
	bool swapped = capture->minor < 3 || (capture->minor == 3 && first > second);

	packet->captured = swapped ? second : first;
	packet->length = swapped ? first : second;
	if (packet->length < packet->captured)
		packet->length = packet->captured;
}

static int pcap_next(struct capture *capture, struct capture_packet *packet, struct fault *fault)
{
	size_t left = capture->size - capture->at;
	uint32_t fraction;

	if (!left)
		return 0;
	if (left < RECORD_BYTES)
		return capture_fault(capture, fault, capture->at,
				     "it breaks off: %zu bytes of a record's %d", left,
				     RECORD_BYTES);
	*packet = (struct capture_packet){ .link = capture->link, .at = capture->at };
	read_lengths(capture, packet);
	if (packet->captured > CAPTURE_PACKET_MAX)
		return capture_fault(capture, fault, capture->at, "a packet of %u bytes is corrupt",
				     packet->captured);
	fraction = capture_u32(capture, capture->at + 4);
	/* More parts than a second has: what others write is read but for its time. */
	packet->timed = (uint64_t)fraction * capture->tick_ns < NS_PER_S;
	if (packet->captured > left - RECORD_BYTES)
		return capture_fault(capture, fault, capture->at,
				     "it breaks off: %zu bytes of a packet's %u",
				     left - RECORD_BYTES, packet->captured);
	if (packet->timed)
		packet->time_ns = (uint64_t)capture_u32(capture, capture->at) * NS_PER_S +
				  (uint64_t)fraction * capture->tick_ns;
	packet->bytes = capture->bytes + capture->at + RECORD_BYTES;
	capture->at += RECORD_BYTES + packet->captured;
	return 1;
}

int pcap_open(struct capture *capture, struct fault *fault)
{
	uint16_t major;

	if (capture->size < HEADER_BYTES)
		return capture_fault(capture, fault, 0,
				     "it breaks off: %zu bytes of the header's %d", capture->size,
				     HEADER_BYTES);
	major = capture_u16(capture, 4);
	capture->minor = capture_u16(capture, 6);
	if (major != 2)
		return capture_fault(capture, fault, 4, "pcap of version %u.%u is not known", major,
				     capture->minor);
	capture->link = (uint16_t)capture_u32(capture, 20); /* above it: about the FCS */
	capture->at = HEADER_BYTES;
	capture->next = pcap_next;
	return 0;
}
