/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads by the agent's readers of captures and frames (agent/src/replay), so that all of
 * Gatemark's programs find the same packets in a file.
 */
#include "payload/capture.h"

#include "gm/match.h"
#include "replay/left.h"
#include "replay/open.h"

#include <errno.h>
#include <string.h>

enum { MAGIC_BYTES = 4 };

int gm_capture_is(const uint8_t *file, size_t size)
{
	static const uint8_t magics[][MAGIC_BYTES] = {
		{ 0xa1, 0xb2, 0xc3, 0xd4 }, { 0xd4, 0xc3, 0xb2, 0xa1 }, { 0xa1, 0xb2, 0x3c, 0x4d },
		{ 0x4d, 0x3c, 0xb2, 0xa1 }, { 0x0a, 0x0d, 0x0d, 0x0a },
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (size >= MAGIC_BYTES && memcmp(file, magics[i], MAGIC_BYTES) == 0)
			return 1;
	return 0;
}

/* Where the payload ends, as far as it was captured. */
static uint32_t payload_end(const struct packet_view *view)
{
	return view->payload_end < view->captured ? view->payload_end : view->captured;
}

/* Whether a packet bears a payload, which the first of its fragments may begin. */
static int has_payload(const struct packet_view *view, enum packet_verdict verdict)
{
	return (verdict == PACKET_TAKEN || (verdict == PACKET_FRAGMENT && view->begins)) &&
	       view->payload_at < payload_end(view);
}

static int add_packet(struct gm_records *records, struct left *left,
		      const struct capture_packet *packet)
{
	struct packet_view view;
	enum packet_verdict verdict = packet_read(&view, packet);

	left_read(left, packet);
	if (has_payload(&view, verdict))
		return gm_records_add(records, view.ip + view.payload_at,
				      payload_end(&view) - view.payload_at);
	records->skipped++;
	if (verdict != PACKET_TAKEN)
		left_add(left, verdict, packet, &view);
	return GM_MATCH_OK;
}

static int read_packets(struct gm_records *records, struct capture *capture, const char **reason)
{
	struct capture_packet packet;
	struct left left = { 0 };
	struct fault fault;
	int status = GM_MATCH_OK, result;

	do {
		result = capture_next(capture, &packet, &fault);
		if (result > 0)
			status = add_packet(records, &left, &packet);
	} while (result > 0 && status == GM_MATCH_OK);
	if (status != GM_MATCH_OK)
		return status;
	left_explain(&left, records->left_out, sizeof(records->left_out));
	if (!result)
		return GM_MATCH_OK;
	*reason = "the capture is cut off or damaged";
	return result == -ENOMEM ? GM_MATCH_MEMORY : GM_MATCH_INPUT;
}

int gm_capture_read(struct gm_records *records, const uint8_t *file, size_t size,
		    const char **reason)
{
	struct capture capture;
	struct fault fault;
	int status;

	if (capture_open(&capture, "", file, size, &fault)) {
		*reason = "the capture is cut off or damaged";
		return GM_MATCH_INPUT;
	}
	status = read_packets(records, &capture, reason);
	capture_close(&capture);
	return status;
}
