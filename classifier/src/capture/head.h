// SPDX-License-Identifier: Apache-2.0
/* The beginning of a packet's payload, as bpf/classify.bpf.c reads it of the same packet. */
#ifndef GM_CLASSIFIER_HEAD_H
#define GM_CLASSIFIER_HEAD_H

#include "classifier/core/flow.h"
#include "replay/packet.h"

#include <string.h>

#define HEAD_IPV6_BYTES 40

/* Of what was captured; empty of TCP and behind IPv6's extension headers. */
static inline struct head head_of(const struct packet_view *view)
{
	struct head head = { 0 };
	uint32_t end = view->payload_at + HEAD_BYTES;

	if (view->protocol != CLASSIFY_UDP || end > view->length || end > view->captured ||
	    (view->family == 6 && view->header_bytes != HEAD_IPV6_BYTES))
		return head;
	head.bytes = view->length - view->payload_at;
	memcpy(head.byte, view->ip + view->payload_at, HEAD_BYTES);
	return head;
}

#endif
