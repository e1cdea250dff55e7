// SPDX-License-Identifier: Apache-2.0
/* What of a capture is left out: packets and their bytes on the wire, by reason. */
#ifndef GM_LEFT_H
#define GM_LEFT_H

#include "replay/unread.h"

struct left {
	uint64_t read, read_bytes; /* of the whole capture */
	uint64_t packets[PACKET_VERDICTS], bytes; /* by reason; of all that are left out */
	struct unread unread;
	uint32_t packet_most; /* bytes of an IP packet that is not too long */
	uint32_t longest; /* of those that are */
};

/* Counts a packet that was read from the capture. */
void left_read(struct left *left, const struct capture_packet *packet);

/* Counts it as left out. */
void left_add(struct left *left, enum packet_verdict why, const struct capture_packet *packet,
	      const struct packet_view *view);

/* Calls each with every reason in words, "fragments", and its packets. */
void left_each(const struct left *left,
	       void (*each)(void *context, const char *reason, uint64_t packets), void *context);

/* "2 ARP, 3 fragments": all reasons with their numbers; of a capture without packets so. Returns `to`. */
const char *left_explain(const struct left *left, char *to, size_t room);

/* Why most packets were left out; PACKET_TAKEN where none was. */
enum packet_verdict left_main(const struct left *left);

#endif
