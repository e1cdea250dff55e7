// SPDX-License-Identifier: Apache-2.0
/* The packets of a capture, and the same written again in the other format. */
#ifndef GM_CAPTURE_WRITTEN_H
#define GM_CAPTURE_WRITTEN_H

#include "fuzz/fuzz.h"
#include "replay/open.h"

#define PACKETS_MAX 64

struct packets {
	struct capture_packet packet[PACKETS_MAX];
	size_t count;
};

/* 0, or the error of the capture's reader; each packet lies inside the bytes. */
static inline int packets_read(struct packets *packets, const uint8_t *bytes, size_t size)
{
	struct capture capture = { 0 };
	struct capture_packet packet;
	struct fault fault = { 0 };
	int result = capture_open(&capture, "fuzz", bytes, size, &fault);
	size_t before = 0;

	packets->count = 0;
	while (!result && (result = capture_next(&capture, &packet, &fault)) > 0) {
		REQUIRE(packet.captured <= packet.length && packet.captured <= CAPTURE_PACKET_MAX);
		REQUIRE(packet.bytes >= bytes && packet.bytes + packet.captured <= bytes + size);
		REQUIRE(packet.at >= before && packet.at < size);
		before = packet.at;
		if (packets->count < PACKETS_MAX)
			packets->packet[packets->count++] = packet;
		result = 0;
	}
	REQUIRE(!result || (*fault.reason && *fault.fix));
	capture_close(&capture);
	return result;
}

/* The same packets, wherever they lie. */
static inline void packets_compare(const struct packets *a, const struct packets *b)
{
	REQUIRE(a->count == b->count);
	for (size_t i = 0; i < a->count; i++) {
		const struct capture_packet *x = &a->packet[i];
		const struct capture_packet *y = &b->packet[i];

		REQUIRE(x->time_ns == y->time_ns && x->link == y->link);
		REQUIRE(x->captured == y->captured && x->length == y->length);
		REQUIRE(!x->captured || memcmp(x->bytes, y->bytes, x->captured) == 0);
	}
}

#endif
