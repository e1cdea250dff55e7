// SPDX-License-Identifier: Apache-2.0
/*
 * Any bytes as a frame of any link type: what is read lies inside it, what is not read has a name.
 * capture_fuzz.c goes on from there.
 */
#include "frame/frame.h"
#include "fuzz/fuzz.h"
#include "replay/unread.h"

#define FRAME_BYTES_MAX 2048

/* Those that the reader knows, and one that it does not. */
static const uint16_t links[] = { 1,   1,   1,	 0,   9,   12,	14,  50,  51,  101,
				  104, 108, 113, 166, 204, 228, 229, 239, 276, 127 };

static void check_view(const struct capture_packet *packet)
{
	struct packet_view view;
	enum packet_verdict verdict = packet_read(&view, packet);
	char name[UNREAD_NAME_MOST];
	bool has_name = verdict == PACKET_NOT_IP || verdict == PACKET_PROTOCOL;

	REQUIRE(verdict < PACKET_VERDICTS);
	REQUIRE(!has_name || (view.unread && *unread_name(name, view.unread, view.number)));
	if (verdict != PACKET_TAKEN)
		return;
	REQUIRE(view.ip >= packet->bytes &&
		view.ip + view.captured <= packet->bytes + packet->captured);
	REQUIRE(view.captured <= view.length && view.length <= packet->length);
	REQUIRE(view.header_bytes + UDP_BYTES <= view.captured);
	REQUIRE(view.payload_at > view.header_bytes && view.payload_at <= view.length);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	uint16_t link = links[input_8(&input) % (sizeof(links) / sizeof(links[0]))];
	uint32_t more = input_16(&input); /* bytes on the wire that were not captured */
	struct input frame = input_part(&input, FRAME_BYTES_MAX);
	uint8_t *copy = input_copy(frame);
	const struct capture_packet packet = { .timed = true,
					       .link = link,
					       .bytes = copy,
					       .captured = (uint32_t)frame.left,
					       .length = (uint32_t)frame.left + more };

	check_view(&packet);
	free(copy);
	return 0;
}
