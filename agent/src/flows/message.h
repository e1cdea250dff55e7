// SPDX-License-Identifier: Apache-2.0
/*
 * An IPFIX message as it is written (RFC 7011, section 3): a header, and sets of templates or
 * records. Shared by flow records (flows/ipfix.h) and the classifier's orders
 * (classifier/src/node/order.h). Who writes looks for room first: nothing here does.
 */
#ifndef GM_FLOWS_MESSAGE_H
#define GM_FLOWS_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MOST 1400 /* bytes: it fits into one packet of most paths */
#define MESSAGE_VERSION 10
#define MESSAGE_HEADER_BYTES 16
#define MESSAGE_SET_BYTES 4 /* of a set's header */
#define MESSAGE_ENTERPRISE 0x8000u /* of an element's number: it is not IANA's */

struct message {
	uint8_t bytes[MESSAGE_MOST];
	size_t used, set; /* where its open set begins; 0: none */
	uint16_t set_id;
};

/* What its header has besides version and length. */
struct message_head {
	uint32_t now_s; /* time of day */
	uint32_t sequence; /* data records of all messages before it */
	uint32_t domain; /* observation domain */
};

void message_begin(struct message *message);

/* A number, the highest byte first. */
void message_put(struct message *message, uint64_t value, size_t bytes);
void message_put_at(struct message *message, size_t at, uint64_t value, size_t bytes);

/* What is in network order already. */
void message_put_bytes(struct message *message, const void *from, size_t bytes);

/* Opens a set and closes the one before; of the set that is open: nothing. */
void message_open(struct message *message, uint16_t set_id);
void message_close(struct message *message);

/* Closes the open set and fills the header: its `used` bytes may go. */
void message_end(struct message *message, const struct message_head *head);

#endif
