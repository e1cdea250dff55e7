// SPDX-License-Identifier: Apache-2.0
/*
 * Any payloads as a flow's: each is one of the hints, what is kept stays in its bits, and a window
 * says one of three things. An input is packets of 16 bytes: the way, three bytes of the length, the
 * beginning.
 */
#include "classifier/core/feature/header.h"
#include "fuzz/fuzz.h"

#define PACKET_BYTES 16u
#define WINDOW 10u

static void require_window(struct hints *hints)
{
	__u32 counts[HINT_PLAIN + 1], header;

	hints_take(hints, counts);
	REQUIRE(counts[HINT_MEDIA] + counts[HINT_SETUP] + counts[HINT_PLAIN] <= WINDOW);
	header = hints_read(hints, counts, WINDOW);
	REQUIRE(header <= HEADER_REALTIME);
	REQUIRE(header != HEADER_REALTIME || hints->call || (hints->rtp_up && hints->rtp_down));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const __u16 ports[2] = { 0x1234, 0x5678 };
	struct hints hints;
	unsigned int packets = 0;

	hints_begin(&hints);
	for (; size >= PACKET_BYTES; data += PACKET_BYTES, size -= PACKET_BYTES) {
		struct head head = { .bytes = data[1] | (__u32)data[2] << 8 |
					      (__u32)data[3] << 16 };
		enum hint hint;

		memcpy(head.byte, data + 4, HEAD_BYTES);
		hint = hints_see(&hints, data[0] & 1, &head, &ports[0], &ports[1]);
		REQUIRE(hint >= HINT_NONE && hint <= HINT_PLAIN);
		REQUIRE(head.bytes >= HEAD_BYTES || hint == HINT_NONE);
		hints_count(&hints, hint);
		if (++packets % WINDOW == 0)
			require_window(&hints);
	}
	return 0;
}
