/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of a capture: of every frame that all readers know (agent/tests/frames.h). */
#include "agent/tests/frames.h"
#include "gm/match.h"
#include "gm/records.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 24, RECORD = 16 };

static void store(uint8_t *bytes, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
}

/* A pcap of one frame, in memory of its length. */
static uint8_t *capture_of(const struct test_frame *frame, size_t *size)
{
	uint8_t *file;

	*size = HEADER + RECORD + frame->length;
	file = calloc(*size, 1);
	if (!file)
		abort();
	store(file, 0xa1b2c3d4);
	store(file + 4, 2 | 4 << 16);
	store(file + 20, frame->link);
	store(file + HEADER + 8, frame->length);
	store(file + HEADER + 12, frame->length);
	memcpy(file + HEADER + RECORD, frame->bytes, frame->length);
	return file;
}

static void test_frame_payload(const struct test_frame *frame)
{
	struct gm_records records;
	const char *reason;
	size_t size;
	uint8_t *file = capture_of(frame, &size);

	CHECK(gm_records_read(&records, file, size, &reason) == GM_MATCH_OK);
	CHECK(records.count == (frame->payload_bytes != 0));
	CHECK(records.skipped == (frame->payload_bytes == 0));
	CHECK(records.size == frame->payload_bytes);
	if (records.size == frame->payload_bytes && records.size)
		CHECK(memcmp(records.bytes, "payload!", 8) == 0);
	if (frame->unread)
		CHECK(strstr(records.left_out, frame->unread) != NULL);
	gm_records_free(&records);
	free(file);
}

static void test_payloads(void)
{
	for (size_t i = 0; i < TEST_FRAMES; i++)
		test_frame_payload(&test_frames[i]);
}

static void test_cut_off(void)
{
	struct gm_records records;
	const char *reason;
	size_t size;
	uint8_t *file = capture_of(&test_frames[0], &size);

	CHECK(gm_records_read(&records, file, size - 1, &reason) == GM_MATCH_INPUT);
	CHECK(reason && *reason);
	free(file);
}

static const struct test tests[] = {
	{ "every frame of the table has its payload, or is named", test_payloads },
	{ "a capture that is cut off is refused", test_cut_off },
};

TESTS_MAIN(tests)
