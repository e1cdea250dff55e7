// SPDX-License-Identifier: Apache-2.0
#include "replay/cut.h"
#include "frame/frame.h"

#define TCP_BYTES 20
#define TCP_SYN 2
#define OPTION_END 0
#define OPTION_NONE 1
#define OPTION_MSS 2
#define MSS_LEAST_SAID 64 /* less is no size that a stack sends by */
#define MSS_LEAST 536 /* RFC 9293, section 3.7.1: a smaller segment is the end of what was sent */

/* The option of a SYN; 0: none is there. */
static uint32_t read_mss(const struct packet_view *view)
{
	uint32_t at = view->header_bytes + TCP_BYTES;
	uint32_t end = view->payload_at < view->captured ? view->payload_at : view->captured;

	while (at + 4 <= end && view->ip[at] != OPTION_END) {
		if (view->ip[at] == OPTION_MSS)
			return be16_load(view->ip + at + 2);
		if (view->ip[at] == OPTION_NONE)
			at++;
		else if (view->ip[at + 1] < 2)
			break;
		else
			at += view->ip[at + 1];
	}
	return 0;
}

void cut_note(struct cut *cut, const struct packet_view *view, int sender, uint32_t packet_most)
{
	uint32_t payload = view->length - view->payload_at, mss;

	if (view->protocol != PROTOCOL_TCP)
		return;
	if (view->ip[view->header_bytes + 13] & TCP_SYN) {
		mss = read_mss(view);
		if (mss >= MSS_LEAST_SAID && (!cut->mss || mss < cut->mss))
			cut->mss = mss;
	}
	if (view->length <= packet_most && payload > cut->whole[sender])
		cut->whole[sender] = payload;
}

/* A jumbogram says its length in a header that its pieces would have too (RFC 2675). */
bool cut_can(const struct packet_view *view, uint32_t packet_most)
{
	bool is_jumbo = view->family == 6 && view->header_bytes > IPV6_BYTES &&
			!be16_load(view->ip + 4);

	return view->protocol == PROTOCOL_TCP && !is_jumbo && view->length <= CUT_MOST &&
	       view->payload_at < packet_most && view->payload_at < view->length;
}

uint32_t cut_bytes(const struct cut *cut, int sender, uint32_t header, uint32_t options,
		   uint32_t packet_most)
{
	uint32_t bytes = packet_most - header;

	if (cut->mss > options && cut->mss - options < bytes)
		return cut->mss - options;
	if (!cut->mss && cut->whole[sender] >= MSS_LEAST && cut->whole[sender] < bytes)
		return cut->whole[sender];
	return bytes;
}
